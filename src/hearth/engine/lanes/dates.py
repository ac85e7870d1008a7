"""The time lane: documents near the instant that a question names. It boosts; only since/until filter."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.query import LaneScore
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.time_expressions import TimeRange

_DOCUMENTS = 20
_PER_DOCUMENT = 3
_DAY_MS = 86_400_000


def near(times: Sequence[TimeRange], document: StoredDocument) -> LaneScore:
    """1 inside a named range, halving with each length of it (a day at least) beyond: what happened on a day is often
    told on the next."""
    dated = document.document.dated_at
    if dated is None:
        return LaneScore("time", 0.0, 0.0)
    best = 0.0
    for time in times:
        away = max(time.start - dated, dated - time.end + 1, 0)
        best = max(best, 0.5 ** (away / max(time.end - time.start, _DAY_MS)))
    return LaneScore("time", best, best)


def dated(times: Sequence[TimeRange], reader: Reader, within: Filter) -> list[int]:
    """The first fragments of documents dated inside the ranges."""

    found: list[int] = []
    for time in times:
        for row in reader.documents_between(time.start, time.end, within, _DOCUMENTS):
            found.extend(fragment.id for fragment in reader.fragments_of(row)[:_PER_DOCUMENT])
    return found
