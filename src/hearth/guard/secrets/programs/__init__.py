"""Secrets at places that one must know a program for: its flags, its lines, the columns of its files."""
