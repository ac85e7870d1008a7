"""Three questions in the words of other memory systems: memory_search, memory_get, memory_context."""
