"""What sentences say to be the cause of what."""
