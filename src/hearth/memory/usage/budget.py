"""The budget: what was put into agents' contexts, and how much of it they used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from hearth.core import subjects
from hearth.core.instants import DAY_MS, show_date
from hearth.core.lazy import dataclass
from hearth.memory.sessions.view import KEPT_DAYS, place
from hearth.memory.usage import turns
from hearth.memory.usage.statistics import former
from hearth.memory.usage.turns import Injection
from hearth.ports import Reader, StateReader

MAX_DAYS = KEPT_DAYS
MAX_UNUSED = 10


@dataclass(frozen=True, slots=True)
class Spent:
    """What was shown under one name (a day in UTC, a session, a hook). ``items`` counts (turn, document) pairs,
    ``referenced`` those that the answers used."""

    name: str
    tokens: int
    turns: int
    items: int
    referenced: int

    @property
    def share(self) -> float:
        """In [0, 1]: of what was shown, how much was used."""
        return self.referenced / self.items if self.items else 0.0

    @property
    def tokens_per_reference(self) -> float | None:
        return self.tokens / self.referenced if self.referenced else None

    def to_dict(self) -> dict[str, Any]:
        each = self.tokens_per_reference
        return {
            "name": self.name,
            "tokens": self.tokens,
            "turns": self.turns,
            "items": self.items,
            "referenced": self.referenced,
            "share_referenced": round(self.share, 4),
            "tokens_per_reference": None if each is None else round(each, 1),
        }


@dataclass(frozen=True, slots=True)
class Unused:
    """A document that was shown in ``turns`` turns of the period and that no answer ever used."""

    docid: str
    place: str
    turns: int

    def to_dict(self) -> dict[str, Any]:
        return {"docid": self.docid, "place": self.place, "turns": self.turns}


@dataclass(frozen=True, slots=True)
class Budget:
    """Of the last ``days`` days. Sessions come by falling tokens, days newest first."""

    days: int
    total: Spent
    by_day: tuple[Spent, ...]
    by_session: tuple[Spent, ...]
    by_hook: tuple[Spent, ...]
    unused: tuple[Unused, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "days": self.days,
            "total": self.total.to_dict(),
            "by_day": [spent.to_dict() for spent in self.by_day],
            "by_session": [spent.to_dict() for spent in self.by_session],
            "by_hook": [spent.to_dict() for spent in self.by_hook],
            "unused": [document.to_dict() for document in self.unused],
        }


class _Sum:
    def __init__(self) -> None:
        self.tokens = 0
        self.turns: set[tuple[str, str]] = set()
        self.items: dict[tuple[str, str, str], bool] = {}

    def add(self, session: str, item: Injection, used: set[str]) -> None:
        self.tokens += item.tokens
        self.turns.add((session, item.turn))
        self.items.update(((session, item.turn, docid), docid in used) for docid in item.docids)

    def spent(self, name: str) -> Spent:
        return Spent(name, self.tokens, len(self.turns), len(self.items), sum(self.items.values()))


def budget(reader: Reader, now: int, days: int) -> Budget:
    """Of the days up to ``now`` (ms UTC)."""
    total = _Sum()
    by: dict[str, dict[str, _Sum]] = {"day": {}, "session": {}, "hook": {}}
    for session, item, used in _inject(reader, now - days * DAY_MS):
        day = show_date(item.at)
        for kind, name in (("day", day), ("session", session), ("hook", item.hook or "unknown")):
            by[kind].setdefault(name, _Sum()).add(session, item, used)
        total.add(session, item, used)
    spent = {kind: [found.spent(name) for name, found in sums.items()] for kind, sums in by.items()}
    return Budget(
        days=days,
        total=total.spent("total"),
        by_day=tuple(sorted(spent["day"], key=lambda one: one.name, reverse=True)),
        by_session=tuple(sorted(spent["session"], key=_most)),
        by_hook=tuple(sorted(spent["hook"], key=_most)),
        unused=tuple(_list_unused(reader, total)),
    )


def _inject(reader: StateReader, since: int) -> Iterator[tuple[str, Injection, set[str]]]:
    for subject in reader.holders("began"):
        session = subjects.read_session(subject)
        newest = next(iter(reader.keys(subject, "surfaced", 1).values()), 0)
        if session is None or newest < since:
            continue
        used = turns.used(reader, session)
        for item in turns.injections(reader, session):
            if item.at >= since:
                yield session, item, used.get(item.turn, set())


def _list_unused(reader: Reader, total: _Sum) -> Iterator[Unused]:
    counts = Counter(docid for _, _, docid in total.items)
    found = 0
    for docid, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        if any("referenced" in reader.members(subject) for subject in former(reader, docid)):
            continue
        where = place(reader, docid)
        if where is not None:
            found += 1
            yield Unused(docid, where, count)
        if found == MAX_UNUSED:
            return


def _most(spent: Spent) -> tuple[int, str]:
    return (-spent.tokens, spent.name)
