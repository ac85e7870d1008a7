"""How new candidates are beside each other, for questions that ask for what is recent."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.instants import DAY_MS
from hearth.ranking.prior.factors import evergreen, recency, written_at
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import PRIOR

UNDATED = 0.5


def newness(candidates: Sequence[Candidate], at: int) -> dict[int, float]:
    """Row of each document -> [0, 1]: 1 for the newest of those that answer nearly as well as the best, then less by
    one half-life for all types, since the latest decision is asked for too; 0.5 for what has no date. What answers
    less well counts as no newer than the oldest of these, so that its date alone does not carry it up.

    Ages count from that newest one: with ages from ``at`` (ms UTC) all that is a year old would be equally old.
    """
    dates = {c.document.id: _date(c, at) for c in candidates}
    bar = PRIOR.recency_near * max((candidate.score for candidate in candidates), default=0.0)
    rivals = {candidate.document.id for candidate in candidates if candidate.score >= bar}
    newest = max((day for row in rivals if (day := dates[row]) is not None), default=at)
    found = {
        row: UNDATED if day is None else recency((newest - day) / DAY_MS, PRIOR.recency_days)
        for row, day in dates.items()
    }
    least = min((found[row] for row in rivals), default=0.0)
    return {row: value if row in rivals else min(value, least) for row, value in found.items()}


def _date(candidate: Candidate, at: int) -> int | None:
    document = candidate.document.document
    written = None if evergreen(document) else written_at(document)
    return None if written is None else min(at, written)
