"""What documents are about, by rules and by a language model."""
