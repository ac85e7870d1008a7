"""Commands that ask: searches, documents, what hooks would show."""
