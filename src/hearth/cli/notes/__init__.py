"""Commands about folders of notes and their index."""
