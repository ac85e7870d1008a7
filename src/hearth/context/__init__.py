"""What is put before an agent: gate, choose, pack, block; shared by hooks and memory_context."""
