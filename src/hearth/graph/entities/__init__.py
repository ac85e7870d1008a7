"""Who and what documents name, and by which names."""
