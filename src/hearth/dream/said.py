"""What pages say already, asked often."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.text.similarity import near_identical, normalised

_NEAR = 0.7


class KnownStatements:
    """Statements among which near-identical ones are found without comparing each with all."""

    def __init__(self, statements: Iterable[str]) -> None:
        self._exact: set[str] = set()
        self._words: list[tuple[frozenset[str], str]] = []
        for statement in statements:
            self.add(statement)

    def add(self, statement: str) -> None:
        plain = normalised(statement)
        if plain not in self._exact:
            self._exact.add(plain)
            self._words.append((frozenset(plain.split()), statement))

    def holds(self, text: str) -> bool:
        plain = normalised(text)
        if plain in self._exact:
            return True
        words = frozenset(plain.split())
        return any(
            near_identical(text, statement)
            for known, statement in self._words
            if len(words & known) >= _NEAR * max(len(words), len(known))
        )
