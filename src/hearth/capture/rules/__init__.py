"""Memories by rules: from what hosts record, and from what a person says. Pure; no model is asked."""
