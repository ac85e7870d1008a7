"""A vault in use: its folders indexed, its journal folded, its documents read, its vector spaces kept."""
