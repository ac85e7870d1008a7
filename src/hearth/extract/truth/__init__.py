"""Whether two statements can both hold, and which one does: by rules, without a model."""
