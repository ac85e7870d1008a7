"""The owner's own synonyms, which count both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hearth.text.terms import chunks, surface


def synonyms_of(word: str, pairs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Words that ``pairs``, from the settings, have beside ``word`` (any case), on either side: lower case, in the
    form given there, no repeats, never ``word``. A synonym of several words counts by each of them."""
    word = word.lower()
    found: dict[str, None] = {}
    for key, values in pairs.items():
        if word in _words(key):
            found.update(dict.fromkeys(part for value in values for part in _words(value)))
        for value in values:
            if word in _words(value):
                found.update(dict.fromkeys(_words(key)))
    return tuple(synonym for synonym in found if synonym != word)


def _words(text: str) -> list[str]:
    return [word for chunk in chunks(text) for word in surface(chunk).words]
