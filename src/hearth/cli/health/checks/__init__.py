"""What ``hearth doctor`` tries, one module per thing that can be ill."""
