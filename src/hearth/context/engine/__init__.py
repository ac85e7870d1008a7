"""What an agent without a host of its own sends to its model, and the transcripts behind it."""
