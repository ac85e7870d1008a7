"""Facts that sentences state: who uses, owns, depends on or replaced what."""
