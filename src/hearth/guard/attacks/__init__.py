"""Texts that give orders to the assistant that reads them."""
