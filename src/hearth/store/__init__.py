"""Indexes: SQLite for one machine, an in-memory twin, and the vector searches over either."""
