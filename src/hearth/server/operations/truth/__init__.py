"""What keeps memories true over time, for clients."""
