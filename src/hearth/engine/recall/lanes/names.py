"""The name lane: documents whose whole name or alias the question is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hearth.engine.recall.context import Context
from hearth.engine.recall.lane import IndexedPassage, Lane, Vote
from hearth.ranking.weights import FUSION
from hearth.text.names import question_keys

# Of a hundred thousand notes of one name, those that say more of it are found by their words.
_DOCUMENTS = 20


class NameLane(Lane):
    """It speaks only for where those documents begin: a name says nothing against the rest."""

    name = "name"

    def __init__(self, context: Context) -> None:
        self._begins = frozenset(_find_beginnings(context))

    def find(self) -> Iterable[int]:
        return sorted(self._begins)

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        called, other = Vote(1.0, FUSION.name, 1.0), Vote()
        return [called if passage.posting.fragment in self._begins else other for passage in passages]


def _find_beginnings(context: Context) -> Iterator[int]:
    """The first passage of each document of that name; its frontmatter where it has no other."""
    reader, keys = context.reader, question_keys(context.question.text)
    for row in reader.called(keys, context.question.within, _DOCUMENTS) if keys else ():
        parts = reader.fragments_of(row)
        first = next((part for part in parts if part.kind != "frontmatter"), parts[0] if parts else None)
        if first is not None:
            yield first.id
