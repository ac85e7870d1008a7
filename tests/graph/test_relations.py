"""Relations as they are read: said and derived, across renames, until an end is out of sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hearth.core.document import docid
from hearth.core.graph import DocumentRelation, EvidencePlace, hash_fragment
from hearth.core.journal import Draft
from hearth.graph.relations import relations_of
from hearth.ports import Filter

A, B, C = "a.md", "b.md", "c.md"


def fill(box: Any) -> None:
    for path in (A, B, C):
        box.write(path, f"# {path}\n\nWhat {path} says.\n")
    box.sync()


def relate(box: Any, source: str, kind: str, target: str, **data: Any) -> None:
    box.journalled("relate", source, type=kind, target=docid("notes", target), **data)


def unrelate(box: Any, source: str, kind: str, target: str) -> None:
    box.journalled("unrelate", source, type=kind, target=docid("notes", target), hide=True)


def derive(box: Any, source: str, kind: str, target: str, weight: float = 0.5, origin: str = "text") -> None:
    with box.store.write() as writer:
        name = docid("notes", source)
        writer.set_relations(name, {origin: [DocumentRelation(name, kind, docid("notes", target), weight)]})


def read(box: Any, *paths: str, within: Filter | None = None, types: tuple[str, ...] = ()) -> list[DocumentRelation]:
    with box.store.read() as reader:
        return relations_of(reader, [docid("notes", path) for path in paths], types, within)


def names(box: Any, *paths: str, **given: Any) -> list[tuple[str, str, str]]:
    with box.store.read() as reader:
        known = {name: path for name, (_, path) in reader.docids().items()}
    return sorted((known[one.source], one.type, known[one.target]) for one in read(box, *paths, **given))


def test_what_is_said_is_found_from_both_ends_and_after_a_rebuild(box: Any) -> None:
    fill(box)
    relate(box, A, "causal", B, weight=0.7, origin="person", at=5, until=9)
    relate(box, C, "evidence", A)
    for _ in range(2):
        for path in (A, B):
            [found] = read(box, path)
            assert (found.weight, found.origin, found.at, found.until) == (0.7, "person", 5, 9)
        assert read(box, C) == []
        box.new_store()
        box.sync()


def test_what_is_taken_back_hides_what_is_derived_until_somebody_says_so_again(box: Any) -> None:
    fill(box)
    derive(box, A, "contradicts", B)
    assert len(names(box, B)) == 1
    unrelate(box, B, "contradicts", A)
    assert names(box, A, B) == []
    derive(box, A, "contradicts", B, 0.9)
    assert names(box, A, B) == []
    relate(box, A, "contradicts", B)
    [found] = read(box, A, B)
    assert found.weight == 1.0


def test_an_edge_that_a_run_takes_back_may_be_derived_again(box: Any) -> None:
    fill(box)
    relate(box, A, "causal", B)
    box.journalled("unrelate", A, type="causal", target=docid("notes", B))
    assert names(box, A) == []
    derive(box, A, "causal", B)
    assert names(box, A) == [(A, "causal", B)]


def test_what_is_said_of_a_note_follows_it_wherever_it_moves(box: Any) -> None:
    fill(box)
    relate(box, A, "follows", B)
    unrelate(box, A, "causal", B)
    for path in (A, B):
        (box.root / path).rename(box.root / f"new-{path}")
        box.sync()
    assert names(box, "new-a.md") == names(box, "new-b.md") == [("new-a.md", "follows", "new-b.md")]
    derive(box, "new-a.md", "causal", "new-b.md")
    assert names(box, "new-a.md", types=("causal",)) == []


def test_what_is_said_finds_both_notes_after_they_were_renamed_while_no_index_existed(box: Any) -> None:
    fill(box)
    relate(box, A, "follows", B, target_text=box.stored(B).document.body_hash)
    for path in (A, B):
        (box.root / path).rename(box.root / f"new-{path}")
    box.new_store()
    box.sync()
    assert names(box, "new-a.md") == names(box, "new-b.md") == [("new-a.md", "follows", "new-b.md")]


def test_hidden_ends_relate_nothing_unless_they_are_asked_for(box: Any) -> None:
    fill(box)
    relate(box, A, "causal", B)
    derive(box, B, "semantic", C)
    box.journalled("archive", B)
    assert names(box, A, B, C) == []
    assert len(names(box, A, B, C, within=Filter(include=("archived",)))) == 2
    box.journalled("restore", B)
    assert len(names(box, A, B, C)) == 2
    assert names(box, A, B, C, types=("causal", "usage")) == [(A, "causal", B)]


def test_what_replaces_a_note_is_related_to_it(box: Any) -> None:
    fill(box)
    box.journalled("supersede", A, by=docid("notes", B))
    assert names(box, A) == []
    assert names(box, A, within=Filter(include=("superseded",))) == [(B, "supersedes", A)]


def test_links_and_what_frontmatter_says_relate_notes(box: Any) -> None:
    fill(box)
    box.write(A, "---\nfollows: b.md\ncontradicts: '[[c]]'\n---\n\n# A\n\nSee [[b]] and [[nowhere]].\n")
    box.sync()
    found = {(one.type, one.origin, one.weight) for one in read(box, A)}
    assert found == {("follows", "file", 1.0), ("contradicts", "file", 1.0), ("references", "links", 0.8)}
    assert len(read(box, B)) == 2
    unrelate(box, A, "follows", B)
    assert {one.type for one in read(box, A)} == {"contradicts", "references"}
    (box.root / C).unlink()
    box.sync(force=True)
    assert {one.type for one in read(box, A)} == {"references"}
    box.journalled("purge", B, scope="index")
    box.sync()
    assert read(box, A, B) == []


def test_what_was_used_together_is_as_near_as_often_it_was(box: Any) -> None:
    fill(box)
    docs = [docid("notes", path) for path in (A, B)]
    for turn in range(4):
        box.history.record([Draft("coactive", data={"docs": docs, "session": "s", "turn": f"t{turn}"})])
    [found] = read(box, A, types=("usage",))
    assert (found.weight, found.origin) == (0.4, "feedback")
    assert read(box, B) == [found]


def test_what_was_said_from_a_passage_is_half_as_sure_once_it_is_gone(box: Any) -> None:
    fill(box)
    with box.store.read() as reader:
        part = reader.fragments_of(box.stored(C).id)[-1]
    place = [docid("notes", C), part.start_line, part.end_line, hash_fragment(part.text)]
    relate(box, A, "causal", B, weight=0.8, places=[place, "no place"])
    [found] = read(box, A)
    assert (found.weight, found.evidence) == (0.8, (EvidencePlace(*place),))
    box.write(C, "# Another\n\nIt says something else.\n")
    box.sync()
    assert [one.weight for one in read(box, A)] == [0.4]
    (box.root / C).unlink()
    box.sync(force=True)
    assert [one.weight for one in read(box, A)] == [0.4]


def test_two_machines_agree_on_the_last_word_in_whatever_order_they_hear_it(make_box: Callable[[], Any]) -> None:
    box = make_box()
    fill(box)
    relate(box, A, "same", B, weight=0.6)
    unrelate(box, B, "same", A)
    relate(box, B, "same", A, weight=0.9)
    before = read(box, A)
    assert [one.weight for one in before] == [0.9]
    events = box.journal.read_after({}).events
    box.new_store()
    box.sync()
    with box.store.write() as writer:
        from hearth.vault.history import primitives

        writer.fold((), anew=True)
        writer.fold([item for event in reversed(events) for item in primitives(event)])
    assert read(box, A) == before
    for store in box.stores:
        store.close()


def test_the_weight_of_a_relation_lies_between_nothing_and_one(box: Any) -> None:
    fill(box)
    for target, weight, kept in ((B, 7, 1.0), (C, -1, 0.0)):
        relate(box, A, "causal", target, weight=weight)
        assert [one.weight for one in read(box, target)] == [kept]
