"""What sentences are by their form alone. Pure."""
