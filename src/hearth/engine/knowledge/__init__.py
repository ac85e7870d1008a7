"""Pages that sum up what is remembered, each statement with its sources."""
