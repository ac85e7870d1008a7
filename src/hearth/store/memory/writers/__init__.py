"""What is written to the index in memory: a module for each port of ``ports.writers``."""
