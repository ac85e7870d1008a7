"""Sessions with agents: what the journal knows of each, and what they are about."""
