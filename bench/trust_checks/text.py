"""Comparing what was written with what was kept, in any language."""

from __future__ import annotations

import re
import unicodedata

# Share of a sentence's letters, three at a time, from which on it counts as the same in other words.
_NEAR = 0.6
_LEAST = 8
_MARKUP = re.compile(r"[\"'“”„«»「」`*_#>|]+")


def plain(text: str) -> str:
    """Lower case, without markup, quotation marks and line breaks. Look-alike letters stay what they are."""
    return " ".join(_MARKUP.sub(" ", unicodedata.normalize("NFC", text)).casefold().split())


def is_near(sentence: str, text: str) -> bool:
    """Whether most of a sentence stands in a text."""
    return len(_threes(sentence)) >= _LEAST and share(sentence, text) >= _NEAR


def share(sentence: str, text: str) -> float:
    """How much of a sentence stands in a text, from 0 to 1."""
    wanted = _threes(sentence)
    return len(wanted & _threes(text)) / max(1, len(wanted))


def holds(text: str, keys: list[str]) -> bool:
    """Whether all of these stand in a text."""
    text = plain(text)
    return all(plain(key) in text for key in keys)


def _threes(text: str) -> set[str]:
    letters = "".join(letter for letter in plain(text) if letter.isalnum())
    return {letters[at : at + 3] for at in range(len(letters) - 2)}
