"""Facts that passages state, and names that are much like one of which none is stated."""
