"""What is shown of the passages that answer."""
