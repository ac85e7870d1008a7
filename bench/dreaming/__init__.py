"""Simulated months of use, and what dreaming made of them."""
