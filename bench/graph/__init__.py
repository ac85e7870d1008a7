"""What the graph is worth, and the plans that are made of questions."""
