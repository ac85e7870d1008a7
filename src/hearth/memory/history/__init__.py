"""The journal as the index has it: events folded to state."""
