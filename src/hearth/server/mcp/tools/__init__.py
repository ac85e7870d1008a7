"""The tools, by what they are about. Each module lists its own in ``TOOLS``."""
