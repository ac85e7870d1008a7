"""What is written to the index in SQLite: a module for each port of ``ports.writers``."""
