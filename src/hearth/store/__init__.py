"""Indexes, and the vector searches over them: SQLite for one machine."""
