"""How a document was used, by all its identities, and what was used together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.ports import StateReader

MAX_HOPS = 32
MOVED_FROM = "moved_from"


def back(docid: str, before: Callable[[str], object]) -> Iterator[str]:
    """The document and what it was before, latest first; ``before`` gives the ``moved_from`` of one, if it has any.
    A circle ends where it began, and no history is followed for more than ``MAX_HOPS`` names."""
    seen: list[str] = []
    name: object = docid
    while isinstance(name, str) and name not in seen and len(seen) < MAX_HOPS:
        seen.append(name)
        yield name
        name = before(name)


def onward(docids: Iterable[str], after: Callable[[str], Iterable[str]]) -> list[str]:
    """The documents and all that they became, however often they moved; ``after`` gives what one became at once."""
    found = list(dict.fromkeys(docids))
    known = set(found)
    for name in found:
        new = [later for later in after(name) if later not in known]
        known.update(new)
        found.extend(dict.fromkeys(new))
    return found


def former(reader: StateReader, docid: str) -> list[str]:
    """The document and what it was before, latest first."""
    return list(back(docid, lambda name: reader.registers(name, MOVED_FROM).get(MOVED_FROM)))


def bearers(reader: StateReader, docids: Iterable[str]) -> list[str]:
    """The documents and all that they were moved to: another machine may still write under the former identity."""
    return sorted(onward(docids, lambda name: reader.subjects_with(MOVED_FROM, name)))


def moves(reader: StateReader) -> dict[str, list[str]]:
    """Former docid -> what it became; two machines may have moved a document to two places."""
    found: dict[str, list[str]] = {}
    for docid, before in reader.holders(MOVED_FROM).items():
        if isinstance(before, str):
            found.setdefault(before, []).append(docid)
    return found


def present(docid: str, moved: Mapping[str, Iterable[str]]) -> list[str]:
    """The document and all that it became, from ``moves``."""
    return onward([docid], lambda name: moved.get(name, ()))


def origins(reader: StateReader) -> Mapping[str, Any]:
    """docid -> what it was before, of all that ever moved."""
    return reader.holders(MOVED_FROM)


def companions(reader: StateReader, docid: str, moved: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """docid -> occasions of those that a document was used together with, under the names they bear now;
    ``moved`` is ``identities.moves``."""
    own = former(reader, docid) if moved else [docid]
    found: dict[str, int] = {}
    for subject in own:
        for name, (count, _) in reader.members(subject).items():
            if (companion := subjects.read_companion(name)) is not None:
                for other in present(companion, moved):
                    found[other] = found.get(other, 0) + count
    return {other: count for other, count in found.items() if other not in own}


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
