"""What sentences say, and whose words they are. The words themselves stand in ``data/``."""
