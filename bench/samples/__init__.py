"""Texts that the measurements are made of."""
