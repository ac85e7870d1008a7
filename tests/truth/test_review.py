"""What may not both be true is put before a person, and settled, and unsettled."""

from __future__ import annotations

from typing import Any

import pytest
from tests.truth.home import Home

from hearth.core import subjects
from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.journal import Draft
from hearth.memory.reviews import draft_review
from hearth.vault import changes

OLD = "The staging database listens on port 5432."
NEW = "The staging database listens on port 6543 since the move."


def doubted(home: Home) -> tuple[str, str]:
    """Two memories, and what noticing does where it is not sure: an edge, less confidence, a question."""
    old = home.remember(OLD, "fact")
    home.clock.advance(days=2)
    new = home.remember(NEW, "fact")
    history = home.vault.truth.history
    said = {"actor": "noticing", "run": new}
    with home.vault.store.read() as reader:
        newer, older = reader.document(new), reader.document(old)
        assert newer is not None and older is not None
        ops = changes.plan(history.registers(reader, old), lambda field: None, {"confidence": 0.85})
    why: dict[str, Any] = {"why": "another port", "evidence": "since the move", "confidence": 0.7}
    edge = {"type": "contradicts", "target": old, **said}
    history.record(
        [
            *changes.of(older.document, ops, said),
            Draft("relate", new, newer.document.path, newer.document.body_hash, edge),
            draft_review(newer.document, old, "update", **why, **said),
        ]
    )
    return old, new


def edges(home: Home, docid: str) -> dict[str, Any]:
    with home.vault.store.read() as reader:
        found = reader.registers(docid, subjects.RELATION)
    return {name: value for name, value in found.items() if value is not None}


def test_an_entry_shows_both_texts_with_source_and_date(home: Home) -> None:
    old, new = doubted(home)
    [case] = home.vault.truth.reviews()
    assert case.newer is not None and case.older is not None
    assert (case.newer.docid, case.newer.said, case.older.docid, case.older.said) == (new, NEW, old, OLD)
    assert case.newer.dated_at == home.clock()
    assert (case.entry.relation, case.entry.why, case.entry.evidence) == ("update", "another port", "since the move")
    assert home.vault.truth.review(case.entry.id) == home.vault.truth.review("1") == case


@pytest.mark.parametrize(
    ("decision", "shown"), [("keep-new", "new"), ("merge", "new"), ("keep-old", "old"), ("both", "both")]
)
def test_a_decision_holds_on_every_machine_and_is_undone_whole(
    home: Home, neighbour: Home, decision: str, shown: str
) -> None:
    old, new = doubted(home)
    before = home.states(), edges(home, new)
    done = home.vault.truth.decide("1", decision, actor="human")
    expected = {"new": {new}, "old": {old}, "both": {old, new}}[shown]
    for machine in (home, neighbour):
        machine.vault.index.sync()
        assert {docid for docid, state in machine.states().items() if not state.hidden} == expected
        assert machine.vault.truth.reviews() == []
    assert home.state(old).confidence == (None if decision == "both" else 0.85)
    assert ("relation:contradicts:" + old in edges(home, new)) is (decision != "both")
    with pytest.raises(Conflict):
        home.vault.truth.decide(done.case.entry.id, "both")
    home.vault.state.undo(done.events[-1])
    assert (home.states(), edges(home, new)) == before
    assert len(home.vault.truth.reviews()) == 1


def test_what_both_were_taken_from_is_kept_where_they_say_the_same(home: Home) -> None:
    old, new = doubted(home)
    home.vault.truth.decide("1", "merge")
    assert any(name.startswith("relation:evidence:") and value["of"] == old for name, value in edges(home, new).items())


def test_a_merge_leaves_what_stays_with_the_tags_of_both_and_undoing_it_takes_them_back(home: Home) -> None:
    old, new = home.remember(OLD, "fact", tags=("staging", "ports")), home.remember(NEW, "fact", tags=("staging",))
    with home.vault.store.read() as reader:
        newer = reader.document(new)
    assert newer is not None
    home.vault.truth.history.record([draft_review(newer.document, old, "update", why="another port", confidence=0.7)])
    before = home.states()
    home.vault.truth.decide("1", "merge", actor="human")
    assert home.state(new).tags == ("ports",)
    assert home.found("staging database", tags=("ports",)) == [new]
    home.vault.state.undo(actor="human")
    assert home.states() == before


def test_what_is_settled_otherwise_waits_no_more(home: Home) -> None:
    old, _ = doubted(home)
    home.vault.state.forget(f"#{old}")
    assert home.vault.truth.reviews() == []
    home.vault.state.undo()
    assert len(home.vault.truth.reviews()) == 1
    home.clock.advance(days=91)
    assert home.vault.truth.reviews() == []
    assert home.state(old).hidden is False


def test_what_is_no_entry_or_no_decision_is_refused(home: Home) -> None:
    doubted(home)
    for name in ("0", "2", "deadbeef", ""):
        with pytest.raises(NotFound):
            home.vault.truth.review(name)
    with pytest.raises(UsageError):
        home.vault.truth.decide("1", "burn")


def test_what_may_contradict_an_answer_stands_right_behind_it_until_it_is_settled(home: Home) -> None:
    asked = "Has the user ever used any pottery kiln?"
    old = home.remember("On May 3 the user fired eight bowls in Marta's kiln.", "fact")
    new = home.remember("The user has never used any pottery kiln.", "fact")
    others = [home.remember(f"The user asked which pottery kiln {name} used.", "fact") for name in ("Ana", "Bo", "Cy")]
    assert home.found(asked, limit=5)[0] == new and set(home.found(asked, limit=4)[1:]) == set(others)
    with home.vault.store.read() as reader:
        newer = reader.document(new)
    assert newer is not None
    home.vault.truth.history.record([draft_review(newer.document, old, "contradiction", why="never", confidence=0.7)])
    assert home.found(asked, limit=4)[:2] == [new, old]
    home.vault.truth.decide("1", "both")
    assert old not in home.found(asked, limit=4)
