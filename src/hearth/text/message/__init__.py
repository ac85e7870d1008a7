"""What a message asks, and what only stands beside it."""
