"""Dreaming, without a file or a clock: passages, what was done with them, what that makes of them, two pages."""
