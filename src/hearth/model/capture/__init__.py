"""What is taken out of a session: memories with their evidence, the hand-off, and their limits."""
