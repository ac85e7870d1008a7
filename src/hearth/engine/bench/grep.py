"""The other baseline: what a person gets with grep, windows ranked by how many of the question's words they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hearth.lazy import regex

_WORD = regex(r"\w+")


class GrepBaseline:
    """Counts distinct words of the question per fragment, case ignored, parts of words included; ties keep the order
    of the fragments. Implements ``Ranker``."""

    def __init__(self, fragments: Iterable[tuple[int, str]], stop_words: frozenset[str]) -> None:
        self._fragments = [(identity, text.lower()) for identity, text in fragments]
        self._stop = stop_words
        self._holding: dict[str, list[int]] = {}

    def search(self, text: str, limit: int) -> list[int]:
        words = dict.fromkeys(_WORD.findall(text.lower()))
        words = {word: None for word in words if word not in self._stop} or words
        counts: Counter[int] = Counter()
        for word in words:
            counts.update(self._places(word))
        best = sorted(counts, key=lambda place: (-counts[place], place))[:limit]
        return [self._fragments[place][0] for place in best]

    def _places(self, word: str) -> list[int]:
        found = self._holding.get(word)
        if found is None:
            found = self._holding[word] = [n for n, (_, text) in enumerate(self._fragments) if word in text]
        return found
