"""Stemming per language, by the Snowball algorithms; languages without one keep their words."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable

import Stemmer

_ALGORITHMS = {
    "en": "english", "es": "spanish", "fr": "french", "de": "german", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "ru": "russian", "sv": "swedish", "el": "greek", "ar": "arabic", "hi": "hindi",
}  # fmt: skip


class _Local(threading.local):
    def __init__(self) -> None:
        self.stemmers: dict[str, Callable[[str], str] | None] = {}


_local = _Local()


def _stemmer(language: str) -> Callable[[str], str] | None:
    """Snowball objects keep state while they stem, so each thread owns its set."""
    stemmers = _local.stemmers
    if language not in stemmers:
        algorithm = _ALGORITHMS.get(language)
        stemmers[language] = Stemmer.Stemmer(algorithm, 0).stemWord if algorithm else None
    return stemmers[language]


def fold(word: str) -> str:
    """Lower-case Latin words without diacritics, an i without its dot as one with it; other scripts unchanged, since
    their marks carry meaning."""
    if word.isascii():
        return word
    word = word.replace("ı", "i")
    decomposed = unicodedata.normalize("NFD", word)
    if not any("a" <= char <= "z" for char in decomposed):
        return word
    kept: list[str] = []
    base = ""
    for char in decomposed:
        if not unicodedata.combining(char):
            base = char
        elif "a" <= base <= "z":
            continue
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word, diacritics folded after stemming since Snowball reads them."""
    stemmer = _stemmer(language)
    if stemmer is None or len(word) < 3:
        return fold(word)
    return fold(stemmer(word)) or fold(word)
