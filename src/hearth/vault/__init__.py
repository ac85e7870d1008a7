"""A vault in use: its folders indexed, its documents read, its vector spaces kept."""
