from __future__ import annotations

from typing import Any

import pytest
from tests.memory.usage.conftest import DAY, DOCS

from hearth.core.journal import Draft
from hearth.memory import session_log
from hearth.memory.session_log import budget


def ask(room: Any, days: int = 7) -> Any:
    with room.store.read() as reader:
        return budget(reader, room.now, days)


def test_it_sums_by_day_session_and_hook(room: Any) -> None:
    room.show("t1", "bread.md", "boats.md", session="a", tokens=300)
    room.answer("t1", "bread.md", session="a")
    room.show("t1", "trees.md", session="a", tokens=50, hook="pretool-inject")
    room.now += DAY
    room.show("t1", "boats.md", session="b", tokens=100)
    found = ask(room)
    total = found.total
    assert (total.tokens, total.turns, total.items, total.referenced) == (450, 2, 4, 1)
    assert (total.share, total.tokens_per_reference) == (0.25, 450.0)
    assert [(s.name, s.tokens) for s in found.by_day] == [("2023-11-15", 100), ("2023-11-14", 350)]
    assert [(s.name, s.tokens, s.share) for s in found.by_session] == [("a", 350, 1 / 3), ("b", 100, 0.0)]
    assert [(s.name, s.turns) for s in found.by_hook] == [("context-surfacing", 2), ("pretool-inject", 1)]
    assert found.by_session[1].tokens_per_reference is None


def test_what_was_shown_most_and_never_used_is_named(room: Any) -> None:
    for number in range(4):
        room.show(f"t{number}", "bread.md", "boats.md", *(["trees.md"] if number else []))
    room.answer("t0", "boats.md")
    room.sessions.history.record([Draft("forget", DOCS["trees.md"])])
    found = ask(room)
    assert [(d.docid, d.place, d.turns) for d in found.unused] == [(DOCS["bread.md"], "notes/bread.md", 4)]


def test_a_use_before_the_period_counts_as_a_use(room: Any) -> None:
    room.show("t0", "bread.md")
    room.answer("t0", "bread.md")
    room.now += 30 * DAY
    room.show("t1", "bread.md")
    assert (ask(room).total.items, ask(room).unused) == (1, ())


def test_days_outside_the_period_stay_out(room: Any) -> None:
    room.show("t1", "bread.md", tokens=10)
    room.now += 3 * DAY
    room.show("t2", "bread.md", tokens=20)
    assert [ask(room, days).total.tokens for days in (2, 7)] == [20, 30]


@pytest.mark.parametrize("rebuilt", [False, True])
def test_details_go_after_ninety_days_and_totals_stay(room: Any, rebuilt: bool) -> None:
    room.show("t1", "bread.md", tokens=70)
    room.answer("t1", "bread.md")
    room.now += 60 * DAY
    room.show("t2", "boats.md", tokens=30)
    if rebuilt:
        room.rebuilt()

    def details() -> Any:
        with room.store.read() as reader:
            return session_log.detail(reader, "s", room.now)

    assert ([turn.id for turn in details().turns], details().older) == (["t1", "t2"], 0)
    room.now += 31 * DAY
    later = details()
    assert ([turn.id for turn in later.turns], later.older) == (["t2"], 1)
    assert (later.session.surfaced, later.session.referenced, later.session.tokens) == (2, 1, 100)
    assert ask(room, 90).total.tokens == 30
    assert (room.statistics("bread.md").surfaced, room.accesses("bread.md")) == (1, 1)


def test_nothing_shown_is_no_division_by_nothing(room: Any) -> None:
    found = ask(room)
    assert (found.total.share, found.total.tokens_per_reference, found.by_day) == (0.0, None, ())
