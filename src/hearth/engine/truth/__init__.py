"""What keeps memories true over time."""
