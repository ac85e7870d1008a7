"""Commands that say how the vault is."""
