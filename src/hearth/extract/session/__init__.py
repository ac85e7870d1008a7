"""A session as a whole: what the next one has to know, and how soon a turn of it matters."""
