"""What led to what."""
