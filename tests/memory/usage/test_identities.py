"""A document that moved is one document, however often it did so and under whichever name it is spoken of."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.usage.conftest import DOCS, Room

from hearth.core.journal import Draft
from hearth.vault import usage_statistics

NAMES = [DOCS[path] for path in ("bread.md", "boats.md", "trees.md", "bees.md")]
GRAPH = st.dictionaries(st.integers(0, 7).map(str), st.lists(st.integers(0, 7).map(str), max_size=3), max_size=8)


def move(room: Room, names: list[str]) -> None:
    for old, new in pairwise(names):
        room.sessions.history.record([Draft("moved", new, data={"from": old})])


def is_pinned(room: Room, docid: str) -> bool:
    with room.store.read() as reader:
        stored = reader.document(docid)
    assert stored is not None
    return stored.state.pinned


@pytest.mark.parametrize("moves", [1, 2, 3])
def test_what_is_said_under_the_first_name_reaches_the_last(room: Any, moves: int) -> None:
    move(room, NAMES[: moves + 1])
    room.sessions.history.record([Draft("pin", NAMES[0])])
    assert is_pinned(room, NAMES[moves])
    room.rebuilt()
    assert is_pinned(room, NAMES[moves])


@pytest.mark.parametrize("moves", [1, 2, 3])
def test_what_was_said_before_all_moves_holds_after_them(room: Any, moves: int) -> None:
    room.sessions.history.record([Draft("pin", NAMES[0])])
    room.show("t1", "bread.md")
    move(room, NAMES[: moves + 1])
    assert is_pinned(room, NAMES[moves])
    with room.store.read() as reader:
        assert usage_statistics.former(reader, NAMES[moves]) == NAMES[moves::-1]
        assert usage_statistics.bearers(reader, NAMES[:1]) == sorted(NAMES[: moves + 1])
        assert usage_statistics.present(NAMES[0], usage_statistics.moves(reader)) == NAMES[: moves + 1]


def test_a_document_that_two_machines_moved_is_followed_both_ways(room: Any) -> None:
    move(room, [NAMES[0], NAMES[1], NAMES[2]])
    move(room, [NAMES[1], NAMES[3]])
    with room.store.read() as reader:
        assert usage_statistics.bearers(reader, NAMES[:1]) == sorted(NAMES)


@given(GRAPH, st.lists(st.integers(0, 7).map(str), max_size=3))
def test_all_that_can_be_reached_is_found_once(graph: dict[str, list[str]], start: list[str]) -> None:
    reached = set(start)
    for _ in range(8):
        reached |= {later for name in reached for later in graph.get(name, ())}
    found = usage_statistics.onward(start, lambda name: graph.get(name, ()))
    assert set(found) == reached
    assert len(found) == len(reached)


@given(st.dictionaries(st.integers(0, 50).map(str), st.integers(0, 50).map(str)))
def test_a_history_ends_where_it_began_or_at_its_limit(before: dict[str, str]) -> None:
    found = list(usage_statistics.back("0", before.get))
    assert found[0] == "0" and len(found) == len(set(found)) <= usage_statistics.MAX_HOPS
    assert all(before[later] == earlier for later, earlier in pairwise(found))
    assert before.get(found[-1]) is None or before[found[-1]] in found or len(found) == usage_statistics.MAX_HOPS
