"""From folders to the index: what to read, what it holds, what its links mean."""
