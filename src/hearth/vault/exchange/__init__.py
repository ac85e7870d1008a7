"""A whole vault taken elsewhere: everything that it knows as lines of JSON, and back again."""
