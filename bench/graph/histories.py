"""What ``kg_query`` says of a thousand made-up histories on some of their days, against reading them day by day. Some
things are said late, with the day since when they are so, or on which they came about."""

from __future__ import annotations

import random
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from hearth import app
from hearth.core import instants
from hearth.graph.facts import find_facts
from machine import table

HISTORIES, _LONGEST, _DAYS, _ASKED = 1_000, 6, 40, 4
_FIRST = date(2026, 1, 1)
_VALUES = ("Heron", "Egret", "Bittern", "Plover")
_SAYS = {
    "runs_on": "{} runs on {}.",
    "owned_by": "{} is owned by {}.",
    "uses": "{} uses {}.",
    "migrated_to": "{} migrated to {}.",
}
_PLACED = ("runs_on", "migrated_to")
_LATE = {"migrated_to": "on"}


class _Said(NamedTuple):
    day: int
    predicate: str
    value: str
    until: int | None
    """The first day on which it holds no more."""
    told: int
    """The day on which it is said, before the next thing comes about."""


def measure_histories(count: int = HISTORIES) -> str:
    """How many answers are the oracle's."""
    rng = random.Random(3)
    histories = {f"Service K{number:04}x": _make(rng) for number in range(count)}
    right = asked = 0
    with tempfile.TemporaryDirectory(prefix="hearth-graph-") as work:
        (Path(work) / "notes").mkdir()
        vault = app.open_folder(Path(work) / "notes", Path(work), clock=lambda: _instant(_DAYS * 2))
        folder = Path(vault.memories.writer.memories.root) / "facts"
        folder.mkdir(parents=True)
        for name, history in histories.items():
            for said in history:
                _write(folder, name, said)
        vault.index.sync()
        for name, history in histories.items():
            for day in rng.sample(range(_DAYS + 2), _ASKED):
                view = find_facts(vault, name, direction="outgoing", as_of=_instant(day))
                asked += 1
                right += {(one.predicate, one.object) for one in view.facts} == _read(history, day)
        vault.close()
    row = ["kg_query", str(count), str(asked), str(asked - right), f"0 {'✓' if right == asked else '✗'}"]
    return table(["facts", "histories", "asked", "not the oracle's", "goal"], [row])


def _make(rng: random.Random) -> list[_Said]:
    days = sorted(rng.sample(range(_DAYS), rng.randint(1, _LONGEST)))
    return [_one(rng, day, following) for day, following in zip(days, [*days[1:], _DAYS], strict=True)]


def _one(rng: random.Random, day: int, following: int) -> _Said:
    until = day + rng.randint(1, 9) if rng.random() < 0.25 else None
    told = rng.randrange(day, following) if rng.random() < 0.25 else day
    return _Said(day, rng.choice(list(_SAYS)), rng.choice(_VALUES), until, told)


def _read(history: list[_Said], asked: int) -> set[tuple[str, str]]:
    """What stands on a day: each day what ends goes, then what is said stands, as long as was said
    last, and ends what it takes the place of."""
    standing: dict[tuple[str, str], int | None] = {}
    for day in range(asked + 1):
        standing = {what: until for what, until in standing.items() if until is None or until > day}
        for said in (one for one in history if one.day == day):
            ended = _PLACED if said.predicate == "migrated_to" else (said.predicate,) * (said.predicate != "uses")
            standing = {
                what: until for what, until in standing.items() if what[0] not in ended or what[1] == said.value
            }
            standing[said.predicate, said.value] = said.until
    return set(standing)


def _write(folder: Path, name: str, said: _Said) -> None:
    until = "" if said.until is None else f" until {_day(said.until - 1)}"
    since = "" if said.told == said.day else f" {_LATE.get(said.predicate, 'since')} {_day(said.day)}"
    text = _SAYS[said.predicate].format(name, said.value)[:-1] + since
    head = f"---\ntitle: Day {said.day} of {name}\ncontent_type: fact\nauthored_at: {_day(said.told)}\n---\n\n"
    (folder / f"{name.split()[1].lower()}-{said.day:02}.md").write_text(f"{head}{text}{until}.\n", "utf-8")


def _day(number: int) -> str:
    return (_FIRST + timedelta(days=number)).isoformat()


def _instant(number: int) -> int:
    """Noon, as dates are stored."""
    return instants.noon(_FIRST + timedelta(days=number))
