"""Ranking: pure functions from candidates to candidates, and their constants."""
