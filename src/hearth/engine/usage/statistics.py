"""How a document was used, counted from the journal's sets: the same on every machine and after every rebuild."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date

from hearth.engine.usage.identities import former
from hearth.lazy import dataclass
from hearth.ports import StateReader

# Five questions, or five days, count as fully diverse.
_MANY = 5
_WEEK = 7
_ONE_DAY = 0.2
_DAYS_WEIGHT, _SPAN_WEIGHT = 0.55, 0.45


@dataclass(frozen=True, slots=True)
class UseStatistics:
    """``surfaced`` counts the turns that showed the document unasked, briefings left out, ``referenced`` those whose
    answer used it, ``recalled`` the explicit questions that found it. ``diversity`` and ``spacing`` lie in
    [0, 1] and describe the recalls; ``last_referenced_at`` is ms UTC."""

    surfaced: int = 0
    referenced: int = 0
    recalled: int = 0
    diversity: float = 0.0
    spacing: float = 0.0
    last_referenced_at: int | None = None


def statistics(reader: StateReader, docid: str) -> UseStatistics:
    """Of a document under its present and former identities."""
    subjects = former(reader, docid)
    counts: dict[str, int] = {}
    last: int | None = None
    for subject in subjects:
        for name, (count, at) in reader.members(subject).items():
            counts[name] = counts.get(name, 0) + count
            if name == "referenced":
                last = max(at, last or 0)
    if not counts.get("recalled"):
        return UseStatistics(counts.get("surfaced", 0), counts.get("referenced", 0), last_referenced_at=last)
    queries = {key for subject in subjects for key in reader.keys(subject, "recalled_query")}
    days = {key for subject in subjects for key in reader.keys(subject, "recalled_day")}
    return UseStatistics(
        surfaced=counts.get("surfaced", 0),
        referenced=counts.get("referenced", 0),
        recalled=counts["recalled"],
        diversity=diversity(len(queries), len(days)),
        spacing=spacing(days),
        last_referenced_at=last,
    )


def diversity(queries: int, days: int) -> float:
    """How many kinds of question found it: min(1, max(distinct queries, distinct days) / 5), after ClawMem."""
    return min(1.0, max(queries, days) / _MANY)


def spacing(days: Iterable[str]) -> float:
    """How spread out over time the recalls are, from their dates (YYYY-MM-DD; others are passed over).

    0 without a date, 0.2 on a single day, else 0.55 min(1, ln(days) / ln 5) + 0.45 min(1, span / 7), where span is
    the number of days from the first to the last, after ClawMem."""
    numbers = sorted({number for day in days if (number := _ordinal(day)) is not None})
    if len(numbers) < 2:
        return _ONE_DAY * len(numbers)
    often = min(1.0, math.log(len(numbers)) / math.log(_MANY))
    return min(1.0, _DAYS_WEIGHT * often + _SPAN_WEIGHT * min(1.0, (numbers[-1] - numbers[0]) / _WEEK))


def _ordinal(day: str) -> int | None:
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return None
