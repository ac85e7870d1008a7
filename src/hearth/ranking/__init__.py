"""Ranking: pure functions from candidates to candidates."""
