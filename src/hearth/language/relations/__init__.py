"""Facts and causes that sentences state."""
