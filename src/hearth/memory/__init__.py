"""Memories: written, changed, archived and purged; sessions, and what was shown and used."""
