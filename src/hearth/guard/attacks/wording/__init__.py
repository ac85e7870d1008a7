"""In which words attacks are made, by language."""
