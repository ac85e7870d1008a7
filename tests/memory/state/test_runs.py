"""What a run did is taken back in one step."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import NotFound
from hearth.core.journal import Changed, Draft
from hearth.memory.reviews import draft_review, list_reviews
from hearth.memory.undo import undo_run
from hearth.vault import changes

BREAD, BOATS, TREES = "bread.md", "boats.md", "trees.md"


def no_piece(name: str) -> list[Changed]:
    raise AssertionError(f"{name} is no piece of a session")


def remarks(run: str) -> dict[str, str]:
    return {"run": run, "actor": "consolidation", "reason": "a test"}


def carry_out(house: Any, run: str) -> None:
    """What a consolidation may do: supersede, lower a confidence, link, ask."""
    history = house.vault.state.history
    docids = {path: house.vault.get(path).document.docid for path in (BREAD, BOATS, TREES)}
    with house.vault.store.read() as reader:
        documents = {path: reader.document(docid).document for path, docid in docids.items()}
        drafts: list[Draft] = []
        for path, wanted in (
            (BREAD, {"superseded_by": docids[BOATS], "confidence": 0.5}),
            (BOATS, {"confidence": 0.8}),
        ):
            ops = changes.plan(
                history.registers(reader, docids[path]),
                lambda field, d=docids[path]: reader.registers(d, field).set_by(field),
                wanted,
            )
            drafts += changes.of(documents[path], ops, remarks(run))
    edge = {"type": "contradicts", "target": docids[TREES], "confidence": 0.6}
    drafts.append(Draft("relate", docids[BOATS], BOATS, None, {**edge, **remarks(run)}))
    drafts.append(draft_review(documents[BOATS], docids[TREES], "contradiction", why="they differ", **remarks(run)))
    history.record(drafts)


def state(house: Any) -> Any:
    with house.vault.store.read() as reader:
        edges = {path: reader.registers(house.vault.get(path).document.docid, "relation:") for path in house.states()}
        asked = list_reviews(reader, house.vault.clock())
    return house.states(), {path: {k: v for k, v in e.items() if v is not None} for path, e in edges.items()}, asked


def test_a_run_undone_leaves_what_was_before(house: Any) -> None:
    house.vault.state.pin(TREES)
    before = state(house)
    carry_out(house, "RUN1")
    assert state(house) != before
    done = undo_run(house.vault.state.history, "RUN1", {"actor": "human"}, no_piece)
    assert (done.undone, done.left) == (5, ())
    assert state(house) == before
    house.rebuilt()
    assert state(house) == before
    with pytest.raises(NotFound):
        undo_run(house.vault.state.history, "RUN1", {"actor": "human"}, no_piece)


def test_what_was_changed_since_stays_and_is_named(house: Any) -> None:
    carry_out(house, "RUN1")
    house.vault.state.restore(BREAD)
    house.vault.state.supersede(BREAD, TREES)
    done = undo_run(house.vault.state.history, "RUN1", {"actor": "human"}, no_piece)
    assert len(done.left) >= 1
    assert "changed since" in done.left[0]
    assert house.state(BREAD).superseded_by == house.vault.get(TREES).document.docid


def test_a_change_of_two_documents_is_undone_like_any_other(house: Any) -> None:
    carry_out(house, "RUN1")
    before = state(house)
    [asked, edge] = house.events()[:2]
    house.vault.state.undo(asked.id)
    house.vault.state.undo(edge.id)
    assert state(house)[1:] == ({path: {} for path in house.states()}, [])
    for event in house.events()[:2]:
        house.vault.state.undo(event.id)
    assert state(house)[:2] == before[:2]
