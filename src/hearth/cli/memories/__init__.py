"""Commands that write memories, and take all of them elsewhere."""
