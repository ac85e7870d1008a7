"""Stages: each reorders, thins out or packs what the lanes found, in the order that a recipe gives."""
