"""Names in texts, and what they name."""
