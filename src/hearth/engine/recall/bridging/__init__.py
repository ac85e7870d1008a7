"""From a word of the question to others that may stand for it."""
