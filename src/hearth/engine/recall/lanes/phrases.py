"""The phrase lane: what stands in quotation marks raises passages that hold it as it is written."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.recall.context import Context
from hearth.engine.recall.lane import Lane
from hearth.model.query import LaneScore
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import FUSION
from hearth.text.similarity import flatten


class PhraseLane(Lane):
    """It finds nothing by itself, and excludes nothing."""

    name = "phrase"

    def __init__(self, context: Context) -> None:
        self._quoted = [flatten(phrase) for phrase in context.question.quoted]

    def boost(self, candidate: Candidate) -> Candidate:
        if not self._quoted:
            return candidate
        text = flatten(candidate.fragment.text)
        held = sum(phrase in text for phrase in self._quoted) / len(self._quoted)
        if not held:
            return candidate
        raised = candidate.score + FUSION.phrase * held * (1 - candidate.score)
        return replace(
            candidate, lanes=(*candidate.lanes, LaneScore(self.name, held, held)), score=raised, fused=raised
        )
