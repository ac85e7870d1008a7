"""What was replaced, what waits for a decision, what was promised."""
