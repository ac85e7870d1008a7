"""Secrets in sentences of people: passwords, PINs, codes of doors, codes that replace a phone."""
