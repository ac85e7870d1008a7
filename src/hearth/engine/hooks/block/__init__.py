"""The block that the agent reads."""
