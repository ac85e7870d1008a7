"""How a server is called: addresses, keys, patience, repeats."""
