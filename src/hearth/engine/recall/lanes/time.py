"""The time lane: documents near the instant that a question names. It boosts; only since/until filter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hearth.engine.recall.context import Context
from hearth.engine.recall.lane import Lane
from hearth.model.instants import DAY_MS
from hearth.model.query import LaneScore
from hearth.ports import StoredDocument
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import FUSION
from hearth.text.time_expressions import TimeRange

_DOCUMENTS = 20
_PER_DOCUMENT = 3


class TimeLane(Lane):
    name = "time"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._times = context.question.times

    def find(self) -> Iterable[int]:
        """The first fragments of documents dated inside the ranges."""
        reader, within = self._context.reader, self._context.question.within
        for time in self._times:
            for row in reader.documents_between(time.start, time.end, within, _DOCUMENTS):
                yield from (fragment.id for fragment in reader.fragments_of(row)[:_PER_DOCUMENT])

    def boost(self, candidate: Candidate) -> Candidate:
        if not self._times:
            return candidate
        near = score_nearness(self._times, candidate.document)
        raised = candidate.score + FUSION.time * near.score * (1 - candidate.score)
        return replace(candidate, lanes=(*candidate.lanes, near), score=raised, fused=raised)


def score_nearness(times: Sequence[TimeRange], document: StoredDocument) -> LaneScore:
    """1 inside a named range, halving with each length of it (a day at least) beyond: what happened on a day is often
    told on the next. What is undated is near no time."""
    dated = document.document.dated_at
    if dated is None:
        return LaneScore("time", 0.0, 0.0)
    best = 0.0
    for time in times:
        away = max(time.start - dated, dated - time.end + 1, 0)
        best = max(best, 0.5 ** (away / max(time.end - time.start, DAY_MS)))
    return LaneScore("time", best, best)
