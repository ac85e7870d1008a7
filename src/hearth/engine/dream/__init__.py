"""Dreaming over a vault: what was done with its passages, written down and read back, and the page that it leads to."""
