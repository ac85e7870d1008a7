"""What people say of how documents hang together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.house import House

from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.graph import DocumentRelation
from hearth.graph.relations import relations_of
from hearth.ports import Filter

A, B = "why.md", "what.md"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "home", tmp_path / "notes")
    built.configure()
    built.write(A, "# Why\n\nThe larder lost its jobs.\n")
    built.write(B, "# What\n\nThe larder got a queue.\n")
    yield built
    built.close()


def related(house: House, path: str = A, within: Filter | None = None) -> list[tuple[str, str, str, str]]:
    with house.vault.store.read() as reader:
        known = {name: path for name, (_, path) in reader.docids().items()}
        wanted = [name for name, other in known.items() if other == path]
        rows = relations_of(reader, wanted, within=within)
    return [(known[one.source], one.type, known[one.target], one.origin) for one in rows]


def test_a_person_relates_two_documents_and_takes_it_back(house: House) -> None:
    graph, state = house.vault.graph, house.vault.state
    done = graph.relate(A, "causal", B, actor="human", reason="it was lost")
    assert (done.action, dict(done.fields)["type"]) == ("related", "causal")
    assert related(house) == related(house, B) == [(A, "causal", B, "person")]
    assert graph.relate(A, "causal", B, actor="human").action == "unchanged"
    assert graph.unrelate(A, "causal", B).action == "unrelated"
    assert graph.unrelate(A, "causal", B).action == "unchanged"
    assert related(house) == []
    house.rebuilt()
    assert related(house) == []
    state = house.vault.state
    state.undo(actor="program")
    assert related(house) == [(A, "causal", B, "person")]
    state.undo(actor="human")
    assert related(house) == []


def test_what_a_person_took_back_stays_so_when_a_relation_after_it_is_undone(house: House) -> None:
    graph = house.vault.graph
    graph.unrelate(A, "same", B, actor="human")
    done = graph.relate(A, "same", B, actor="human")
    house.vault.state.undo(done.events[0])
    assert graph.unrelate(A, "same", B).action == "unchanged"
    assert graph.unrelate(B, "same", A).action == "unchanged"


def test_what_was_derived_and_taken_back_stays_away_when_a_relation_after_it_is_undone(house: House) -> None:
    graph = house.vault.graph
    one, other = (house.vault.get(path).document.docid for path in (A, B))
    with house.vault.store.write() as writer:
        writer.set_relations(one, {"text": [DocumentRelation(one, "causal", other, 0.5)]})
    assert related(house) == [(A, "causal", B, "text")]
    graph.unrelate(A, "causal", B, actor="human")
    done = graph.relate(A, "causal", B, actor="human")
    house.vault.state.undo(done.events[0])
    assert related(house) == []


def test_what_supersedes_is_said_as_everywhere_else(house: House) -> None:
    graph = house.vault.graph
    assert graph.relate(B, "supersedes", A).action == "related"
    assert related(house, A, Filter(include=("superseded",))) == [(B, "supersedes", A, "person")]
    assert house.vault.truth.chain(A).versions[-1].stored.document.path == B
    assert graph.unrelate(B, "supersedes", A).action == "unrelated"
    assert related(house, A, Filter(include=("superseded",))) == []
    assert graph.unrelate(B, "supersedes", A).note is not None
    house.write(B, "---\nsupersedes: why.md\n---\n\n# What\n\nThe larder got a queue.\n")
    house.vault.index.sync(force=True)
    done = graph.unrelate(B, "supersedes", A)
    assert done.action == "unchanged"
    assert "file" in (done.note or "")


def test_what_makes_no_sense_is_refused(house: House) -> None:
    graph = house.vault.graph
    for kind in ("usage", "temporal", "loves"):
        with pytest.raises(UsageError):
            graph.relate(A, kind, B)
    with pytest.raises(UsageError):
        graph.relate(A, "causal", "Why")
    with pytest.raises(NotFound):
        graph.relate(A, "causal", "nowhere.md")
    house.vault.state.forget(B)
    with pytest.raises(Conflict):
        graph.relate(A, "causal", B)
