"""Text analysis: what turns words into index terms, dates into ranges and lengths into tokens."""
