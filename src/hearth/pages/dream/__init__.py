"""Dreaming: what is used again and again is promoted into MEMORY.md, once a night."""
