"""Words akin to a word: translations, neighbours in meaning, other spellings, the owner's synonyms."""
