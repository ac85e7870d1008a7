"""How what is remembered hangs together."""
