"""Relations between documents: said by people, derived from texts and vectors, combined and walked."""
