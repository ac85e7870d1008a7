"""Commands that change what is remembered."""
