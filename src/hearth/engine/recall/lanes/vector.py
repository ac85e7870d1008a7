"""The vector lane: passages near the question in meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hearth.engine.recall.context import Context
from hearth.engine.recall.lane import IndexedPassage, Lane, Vote
from hearth.ranking.weights import FUSION

NEIGHBOURS = 60


class VectorLane(Lane):
    """Its say is the trust of the space that judges a passage; none where the question has no vector."""

    name = "vector"

    def __init__(self, context: Context) -> None:
        self._vectors = vectors = context.vectors
        rows = None if vectors is None else context.reader.rows(context.question.within)
        self._near = {} if vectors is None else {near.fragment: near for near in vectors.nearest(NEIGHBOURS, rows)}

    def find(self) -> Iterable[int]:
        return self._near

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        vectors = self._vectors
        if vectors is None:
            return super().judge(passages)
        others = [passage.posting.fragment for passage in passages if passage.posting.fragment not in self._near]
        known = self._near | {near.fragment: near for near in vectors.judge(others)}
        without = Vote(weight=FUSION.vector * vectors.main.trust)
        found = (known.get(passage.posting.fragment) for passage in passages)
        return [
            without if near is None else Vote(near.probability, FUSION.vector * near.by.trust, near.cosine)
            for near in found
        ]
