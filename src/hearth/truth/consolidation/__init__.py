"""Consolidation: merges duplicates, archives what expired, asks about the rest."""
