"""Memories: written, changed, aged, and what is known of their use."""
