"""What a word that the index lacks may be a slip of the hand for, or a compound of."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.ports import PostingReader, TermRow
from hearth.recall.bridges import Bridge
from hearth.recall.question import Word
from hearth.recall.ranking.weights import BRIDGE
from hearth.text.language import stem
from hearth.text.related_words import is_slip

_READ = 200
_PREFIX = 3
_SHORTEST_PART = 4
_LONGEST = 60
"""Letters of a word that somebody meant: what is longer was pasted, and has as many cuts as letters."""
_MOST = 3
"""Words of one question that are looked at, each with at most ``_READ`` terms that begin like it."""


class Speller:
    """Reads a bounded part of the index for one question."""

    def __init__(self, reader: PostingReader) -> None:
        self._reader = reader
        self._left = _MOST

    def respell(self, word: Word) -> tuple[list[Bridge], dict[str, TermRow]]:
        """Bridges to terms of the index, and their rows."""
        surface = word.surface
        if not (surface.isalpha() and _PREFIX < len(surface) <= _LONGEST and self._left):
            return [], {}
        self._left -= 1
        rows: dict[str, TermRow] = {}
        bridges = list(self._split(surface, rows))
        # A word that ordinary text knows is meant as it stands.
        if not bridges and not word.bridges:
            bridges = list(self._slips(word, rows))
        return bridges, rows

    def _slips(self, word: Word, rows: dict[str, TermRow]) -> Iterator[Bridge]:
        start = word.variants[0][:_PREFIX]
        for row in self._reader.terms_with_prefix(start, _READ):
            if row.term.isalpha() and any(is_slip(variant, row.term) for variant in word.variants):
                rows[row.term] = row
                yield Bridge(row.term, BRIDGE.spelling, "spelling")

    def _split(self, surface: str, rows: dict[str, TermRow]) -> Iterator[Bridge]:
        """Both parts, where the index has them; the most even cut."""
        cuts = range(_SHORTEST_PART, len(surface) - _SHORTEST_PART + 1)
        pairs = {cut: (stem(surface[:cut], "en"), stem(surface[cut:], "en")) for cut in cuts}
        known = self._reader.terms({part for parts in pairs.values() for part in parts}) if pairs else {}
        for cut in sorted(cuts, key=lambda cut: abs(2 * cut - len(surface))):
            parts = pairs[cut]
            if all(part in known for part in parts):
                for part in parts:
                    rows[part] = known[part]
                    yield Bridge(part, BRIDGE.spelling / 2, "compound")
                return
