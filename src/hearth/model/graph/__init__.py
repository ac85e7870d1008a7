"""How documents hang together."""
