"""What is read of the index in memory: a module for each port of ``ports.readers``."""
