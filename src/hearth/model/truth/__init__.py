"""What is known of statements over time: how two of them stand to each other."""
