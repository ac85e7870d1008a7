"""Times that a text names, in nine languages."""
