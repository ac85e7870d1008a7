"""The rooms of a vault, and how each is built; a builder is loaded when its room is first entered."""
