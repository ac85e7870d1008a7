"""What reaches a model stands in a fence that it can neither end nor speak through."""
