"""Results of operations in words, for a model that sees nothing else: one module for each family."""
