"""Sessions: what the journal knows of each conversation with an agent."""
