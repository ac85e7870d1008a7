"""Single documents: named, read back, and what stands around them."""
