"""Whatever was recorded, on one machine or two: a new index, and any order of merging, give the same answers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.memory.usage.conftest import DAY, DOCS, Room

from hearth.core.journal import Draft
from hearth.core.session import Sighting

PATHS = tuple(DOCS)
DEEDS = ("show", "answer", "turn", "seen", "end", "recall", "focus", "clear", "move", "wait", "rebuild")
STEP = st.tuples(st.sampled_from(DEEDS), st.integers(0, 3), st.integers(0, 3), st.integers(0, 40))
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def act(room: Room, deed: str, one: int, other: int, number: int) -> None:
    session, turn = f"s{one % 2}", f"t{number % 4}"
    match deed:
        case "show":
            room.show(turn, *PATHS[one : other + 1] or PATHS[:1], session=session, tokens=number)
        case "answer":
            room.answer(turn, *PATHS[one : other + 1] or PATHS[:1], session=session)
        case "turn":
            files = [f"/work/{other}.py"]
            room.sessions.turn_ended(session, "/t.jsonl", number, turn, files)
        case "seen":
            room.sessions.seen(Sighting(session, "codex" if other else None, cwd=f"/work/{other}"))
        case "end":
            room.sessions.ended(session, "done")
        case "recall":
            room.recalled(f"question {other}", {DOCS[PATHS[one]]: number / 40}, session)
        case "focus":
            room.sessions.focus.set(f"topic {number}", session if other else None, None, 1 + number)
        case "clear":
            room.sessions.focus.clear(session if other else None, None)
        case "move" if one != other:
            room.sessions.history.record([Draft("moved", DOCS[PATHS[one]], data={"from": DOCS[PATHS[other]]})])
        case "wait":
            room.now += number * DAY // 3
        case "rebuild":
            room.rebuilt()


@settings(max_examples=12, deadline=None, suppress_health_check=QUIET)
@given(steps=st.lists(STEP, min_size=4, max_size=25))
def test_a_new_index_gives_the_same_answers(make_room: Callable[..., Room], steps: list[Any]) -> None:
    room = make_room()
    for step in steps:
        act(room, *step)
    before = room.everything()
    room.rebuilt()
    assert room.everything() == before
    room.close()


@settings(max_examples=25, deadline=None, suppress_health_check=QUIET)
@given(steps=st.lists(st.tuples(st.booleans(), STEP), min_size=6, max_size=30))
def test_two_machines_come_to_the_same_whoever_is_read_first(make_room: Callable[..., Room], steps: list[Any]) -> None:
    left, right = make_room("bbbbbbbbbb"), make_room("cccccccccc")
    for mine, step in steps:
        act(left if mine else right, *step)
    now = left.now = right.now = max(left.now, right.now)
    answers = []
    for order in ((left, right), (right, left)):
        merged = make_room("aaaaaaaaaa", now=now)
        merged.folder.mkdir()
        for source in order:
            for file in source.folder.glob("*.jsonl"):
                shutil.copy(file, merged.folder / file.name)
                merged.sessions.history.replay()
        answers.append(merged.everything())
        merged.rebuilt()
        answers.append(merged.everything())
    # Registers carry their stamps, so the folded states are equal too.
    assert all(answer == answers[0] for answer in answers[1:])


def test_feedback_on_two_machines_counts_once(make_room: Callable[..., Room]) -> None:
    left, right = make_room("bbbbbbbbbb"), make_room("cccccccccc")
    for machine in (left, right):  # each before it hears of the other
        machine.show("t1", "bread.md", "boats.md")
        assert len(machine.answer("t1", "bread.md", "boats.md").new) == 2
    shutil.copy(right.folder / "cccccccccc.jsonl", left.folder / "cccccccccc.jsonl")
    assert left.answer("t1", "bread.md", "boats.md").new == ()
    assert [left.statistics(path).referenced for path in ("bread.md", "boats.md")] == [1, 1]
    assert left.accesses("bread.md") == 1
    assert left.together("bread.md") == {DOCS["boats.md"]: 1}


def test_what_another_machine_showed_can_be_answered_here(make_room: Callable[..., Room]) -> None:
    left = make_room("bbbbbbbbbb")
    left.show("t1", "bread.md")
    right = make_room("cccccccccc")
    right.folder.mkdir()
    shutil.copy(left.folder / "bbbbbbbbbb.jsonl", right.folder / "bbbbbbbbbb.jsonl")
    assert right.answer("t1", "bread.md").new == (DOCS["bread.md"],)
