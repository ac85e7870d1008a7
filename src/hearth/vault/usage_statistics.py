"""How documents were used, together and by turn, as the index has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date
from typing import Any

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.core.session import Shown, ShownTurn, is_briefing
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
    return sorted(onward(docids, lambda name: reader.holders(MOVED_FROM, name)))


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
        for name, (count, _) in reader.subject(subject).members.items():
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


def read_statistics(reader: StateReader, docid: str) -> UseStatistics:
    """Of a document under its present and former identities."""
    subjects = former(reader, docid)
    counts: dict[str, int] = {}
    last: int | None = None
    for subject in subjects:
        for name, (count, at) in reader.subject(subject).members.items():
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


Lines = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Injection:
    """What one hook showed at once; ``lines`` by docid, none for a whole document; ``bodies`` begin the hashes of
    memories, by docid. ``at`` is ms UTC."""

    turn: str
    at: int
    docids: tuple[str, ...]
    lines: Mapping[str, Lines] = field(default_factory=dict)
    tokens: int = 0
    hook: str = ""
    prompt_hash: str | None = None
    bodies: Mapping[str, str] = field(default_factory=dict)


def injections(reader: StateReader, session: str, turn: str | None = None) -> list[Injection]:
    """Those of one turn, or of all, oldest first."""
    return among(reader.registers(subjects.name_session(session), subjects.name_surfacings(turn)))


def among(registers: Mapping[str, Any]) -> list[Injection]:
    """Those that registers of a session tell of, oldest first."""
    rows = ((subjects.read_surfacing(name), value) for name, value in registers.items())
    found = [_injection(turn, value) for turn, value in rows if turn is not None]
    return sorted(found, key=lambda item: (item.at, item.turn, item.hook, item.docids))


def last(reader: StateReader, session: str, count: int) -> list[ShownTurn]:
    """The last turns that the journal knows of, newest first."""
    subject = subjects.name_session(session)
    known = reader.keys(subject, "turns", count)
    surfaced = reader.keys(subject, "surfaced", count)
    latest = {turn: max(known.get(turn, 0), surfaced.get(turn, 0)) for turn in known | surfaced}
    newest = sorted(latest, key=lambda turn: (-latest[turn], turn))[:count]
    return [_together(turn, latest[turn], injections(reader, session, turn)) for turn in newest]


def count(reader: StateReader, session: str) -> int:
    """How many turns of the session the journal knows of."""
    subject = subjects.name_session(session)
    known = reader.keys(subject, "turns") | reader.keys(subject, "surfaced")
    return sum(not is_briefing(turn) for turn in known)


def used(reader: StateReader, session: str) -> dict[str, set[str]]:
    """Turn -> documents that its answer used."""
    found: dict[str, set[str]] = {}
    for key in reader.keys(subjects.name_session(session), "referenced"):
        turn, docid = subjects.read_reference(key)
        found.setdefault(turn, set()).add(docid)
    return found


def _together(turn: str, at: int, shown: list[Injection]) -> ShownTurn:
    return ShownTurn(
        turn=turn,
        at=min((item.at for item in shown), default=at),
        shown=tuple(sorted(set(_places(shown)), key=lambda one: (one.docid, one.start_line, one.end_line, one.body))),
        prompt_hashes=tuple(sorted({item.prompt_hash for item in shown if item.prompt_hash})),
        tokens=sum(item.tokens for item in shown),
    )


def _places(shown: list[Injection]) -> Iterator[Shown]:
    for item in shown:
        for docid in item.docids:
            body = item.bodies.get(docid, "")
            yield from (Shown(docid, *span, body) for span in item.lines.get(docid) or ((0, 0),))


def _injection(turn: str, value: Any) -> Injection:
    """Journals are written by other versions and by hand, so every field may be missing or odd."""
    row = value if isinstance(value, dict) else {}
    docids = tuple(docid for docid in row.get("docs", ()) if isinstance(docid, str))
    spans = row.get("lines")
    lines: dict[str, Lines] = {}
    if isinstance(spans, list) and len(spans) == len(docids):
        lines = {docid: tuple(_pairs(span)) for docid, span in zip(docids, spans, strict=True)}
    given, bodies = row.get("bodies"), dict[str, str]()
    if isinstance(given, list) and len(given) == len(docids):
        bodies = {docid: body for docid, body in zip(docids, given, strict=True) if isinstance(body, str)}
    hook, prompt = row.get("hook"), row.get("prompt")
    return Injection(
        turn=turn,
        at=read_count(row.get("at")),
        docids=docids,
        lines=lines,
        tokens=read_count(row.get("tokens")),
        hook=hook if isinstance(hook, str) else "",
        prompt_hash=prompt if isinstance(prompt, str) else None,
        bodies=bodies,
    )


def _pairs(span: Any) -> Iterator[tuple[int, int]]:
    numbers = [read_count(number) for number in span] if isinstance(span, list) else []
    yield from zip(numbers[::2], numbers[1::2], strict=False)


def read_count(value: Any) -> int:
    """A whole number of the journal, 0 for anything else."""
    return value if type(value) is int and value >= 0 else 0
