"""Errors, values, instants, files and the log: what every other part is made of."""
