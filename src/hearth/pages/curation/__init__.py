"""Curation: what a vault needs of a person, and what can be done of it at once."""
