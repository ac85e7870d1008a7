"""What is read of the index in SQLite: a module for each port of ``ports.readers``."""
