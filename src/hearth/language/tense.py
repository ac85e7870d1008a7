"""What time a question is about: how things are now."""

from __future__ import annotations

from hearth.language.words import cues

_READ_CHARS = 2_000


def asks_now(text: str) -> bool:
    """Whether it asks for the present in so many words: "now", "currently", "these days"."""
    return cues("tense", "now").search(text[:_READ_CHARS]) is not None
