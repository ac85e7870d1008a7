"""Pages that sum memories up: what goes onto them, and how a person's words stay."""
