"""Consolidation: what was said several times becomes one, what ended is put away, what may be one is asked about."""
