"""Use cases over ports."""
