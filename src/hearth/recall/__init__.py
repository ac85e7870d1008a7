"""Questions answered: lanes find, ranking computes, stages order, routing picks a recipe."""
