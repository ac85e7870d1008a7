"""What the journal says: events, and the state that they fold to."""
