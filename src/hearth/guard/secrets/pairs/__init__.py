"""A name and its value, in whatever shape: found by the name's words, judged by one test of values."""
