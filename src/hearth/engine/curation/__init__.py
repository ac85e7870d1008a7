"""Curation: what a vault needs of a person, each with the command that does it, and what can be done and undone."""
