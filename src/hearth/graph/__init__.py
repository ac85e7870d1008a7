"""How what is remembered hangs together, as pure functions."""
