"""What keeps memory safe to hold and to hand out: secrets stay out of every store, paths inside their roots."""

VERSION = 14
"""Part of the index fingerprint: change it with the rules of ``secrets``."""
