"""How memories age: what lies unused is archived, and brought back."""
