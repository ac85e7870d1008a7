"""What pages say already, asked often."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hearth.lazy import regex
from hearth.text.similarity import near_identical, normalised

_NEAR = 0.7
_WORD = regex(r"[^\W_]+")


class KnownStatements:
    """Statements among which near-identical ones are found without comparing each with all."""

    def __init__(self, statements: Iterable[str]) -> None:
        self._exact: dict[str, str] = {}
        self._by_word: dict[str, list[tuple[frozenset[str], str]]] = {}
        for statement in statements:
            self.add(statement)

    def add(self, statement: str) -> None:
        plain = normalised(statement)
        if plain not in self._exact:
            self._exact[plain] = statement
            words = _words(plain)
            for word in _telling(words):
                self._by_word.setdefault(word, []).append((words, statement))

    def find(self, text: str) -> str | None:
        """The first of them that says the same."""
        plain = normalised(text)
        if plain in self._exact:
            return self._exact[plain]
        words = _words(plain)
        near = (
            statement
            for word in _telling(words)
            for known, statement in self._by_word.get(word, ())
            if len(words & known) >= _NEAR * max(len(words), len(known))
        )
        return next((statement for statement in dict.fromkeys(near) if near_identical(text, statement)), None)

    def holds(self, text: str) -> bool:
        return self.find(text) is not None


def _words(plain: str) -> frozenset[str]:
    """Without punctuation; of a text that is nothing else, itself."""
    return frozenset(_WORD.findall(plain)) or frozenset((plain,))


def _telling(words: frozenset[str]) -> list[str]:
    """The longest words: so many that two texts that share ``_NEAR`` of their words share one of these."""
    return sorted(words, key=lambda word: (-len(word), word))[: len(words) - math.ceil(_NEAR * len(words)) + 1]
