"""What a sentence most likely is."""
