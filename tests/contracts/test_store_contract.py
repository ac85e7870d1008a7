"""What every store must do, and that both do the same after any history of writes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.document import AnalyzedFragment, DocumentState, FileState, FragmentTerms, docid
from hearth.core.graph import FILE, LINKS, DocumentRelation, EvidencePlace, NamedEntity
from hearth.core.graph import SPACE as COMPARED
from hearth.core.instants import show_exactly
from hearth.core.journal import Member, Register
from hearth.core.subjects import name_noticed
from hearth.models.static import quantize
from hearth.ports import (
    EVERYTHING,
    CollectionState,
    DocumentPlace,
    Failure,
    Filter,
    MeanVector,
    Reader,
    Skipped,
    Store,
    StoredDocument,
    TermRow,
    VectorSpace,
    WantedTerm,
    Writer,
)
from hearth.store.sqlite.store import SqliteStore
from hearth.testing import START_MS, record
from hearth.text.terms import Packed

SPACE = "hash:8:1"
DAY = 86_400_000
WORDS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "getUserById", "src/store.ts", "v0.8.2", "重跑")
FILTERS = (
    EVERYTHING,
    Filter(include_hidden=True),
    Filter(collections=("notes",)),
    Filter(collections=("work", "_hearth"), include_hidden=True),
    Filter(sources=("notes",)),
    Filter(sources=("memory", "conversations")),
    Filter(sources=("conversations", "notes")),
    Filter(types=("decision",)),
    Filter(since=START_MS + 3 * DAY),
    Filter(since=START_MS + DAY, until=START_MS + 5 * DAY),
    Filter(paths=("Deep/",)),
    Filter(paths=("Ä",)),
    Filter(tags=("Red",)),
    Filter(tags=("größe", "red")),
    Filter(include=("archived", "superseded")),
    Filter(include=("forgotten",), collections=("notes",)),
    Filter(at=START_MS + 3 * DAY),
    Filter(at=START_MS + 3 * DAY, collections=("notes",)),
    Filter(at=START_MS + 3 * DAY, include=("superseded",)),
    Filter(as_of=START_MS + 2 * DAY),
    Filter(as_of=START_MS + 9 * DAY, types=("decision",)),
)


# Every implementation of the port passes the whole suite; each opens what a folder holds, or makes it.
STORES: dict[str, Callable[[Path], Store]] = {"sqlite": lambda folder: SqliteStore(folder / "index.sqlite", "1")}


@pytest.fixture(params=STORES)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    opened: list[Store] = []

    def build() -> Store:
        opened.append(STORES[request.param](tmp_path))
        return opened[-1]

    yield build
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    return open_store()


def put(store: Store, collection: str, path: str, *texts: str, **given: Any) -> bool:
    with store.write() as writer:
        return writer.put(record(collection, path, *texts, **given))


def link(writer: Writer, name: str, links: list[DocumentRelation]) -> None:
    writer.set_relations(name, {kind: [one for one in links if one.origin == kind] for kind in (LINKS, FILE)})


def rows_of(reader: Reader, *docids: str) -> list[int]:
    return [stored.id for name in docids if (stored := reader.document(name)) is not None]


def reviewed(reader: Reader, before: int) -> list[StoredDocument]:
    due = reader.each_document(Filter(include_hidden=True, review_before=before))
    return sorted(due, key=lambda stored: stored.document.review_by or 0)


# -- one store --------------------------------------------------------------------------------------------------------


def test_a_new_store_is_empty(store: Store) -> None:
    with store.read() as reader:
        found = reader.statistics()
        assert (found.documents, found.fragments, found.total_length, found.languages) == (0, 0, 0, ())
        assert found.mean_length == 1.0
        assert list(reader.each_document(EVERYTHING)) == []
        assert reader.rows(EVERYTHING) is None
        assert reader.meta("journal") is None
        assert reader.vectors(SPACE).fragments.shape == (0,)
    assert store.check() == []


def test_all_documents_are_read_as_they_were_however_many_pages_they_fill(store: Store) -> None:
    paths = [f"{number:04}.md" for number in range(1_100)]
    with store.write() as writer:
        for path in reversed(paths):
            writer.put(record("notes", path, "amber"))
    with store.read() as reader:
        found = reader.each_document(EVERYTHING)
        seen = [next(found).document.path]
        with store.write() as writer:
            writer.remove(docid("notes", paths[700]))
            writer.put(record("notes", "0000-new.md", "amber"))
        assert [*seen, *(stored.document.path for stored in found)] == paths


def test_documents_are_looked_up_by_what_names_them(store: Store) -> None:
    for collection, path in (("notes", "db/Choice.md"), ("notes", "0008-queue.md"), ("a/b", "c.md"), ("a", "b/c.md")):
        put(store, collection, path, f"Text of {path}.")
    put(store, "notes", "bell\a.md", "Rings.")
    put(store, "notes", "raw\udcff.md", "Bytes.")
    first = docid("notes", "db/Choice.md")
    with store.read() as reader:

        def names(by: Any, text: str) -> list[str]:
            return [place.name for place in reader.look_up(by, [text], 10)]

        stored = reader.document(first)
        assert stored is not None
        assert names("docid", first[:8]) == names("hash", stored.document.body_hash[:12]) == ["notes/db/Choice.md"]
        assert names("suffix", "Choice.md") == names("suffix", "notes/db/Choice.md") == ["notes/db/Choice.md"]
        assert names("suffix", "choice.md") == names("suffix", "hoice.md") == names("suffix", "\ud800") == []
        assert names("suffix", "raw\udcff.md") == ["notes/raw\udcff.md"]
        assert names("beginning", "0008") == names("beginning", "0008-QUEUE") == ["notes/0008-queue.md"]
        assert names("unprintable", "") == ["notes/bell\a.md", "notes/raw\udcff.md"]
        wanted = ["a/b/c.md", "db/Choice.md", "Choice.md", "\ud800", "raw\udcff.md"]
        found = {name: reader.look_up("place", [name]) for name in wanted}
        assert reader.look_up("place", wanted) == [place for places in found.values() for place in places]
        assert {name: [place.name for place in places] for name, places in found.items() if places} == {
            "a/b/c.md": ["a/b/c.md", "a/b/c.md"],
            "db/Choice.md": ["notes/db/Choice.md"],
            "raw\udcff.md": ["notes/raw\udcff.md"],
        }


def test_names_with_slips_find_those_that_share_most_letters(store: Store) -> None:
    for path in ("Rye bread.md", "Rye beer.md", "Boats.md"):
        put(store, "notes", path, "Text.")
    with store.write() as writer:
        writer.remove(docid("notes", "Boats.md"))
    with store.read() as reader:

        def similar(text: str, limit: int) -> list[str]:
            return [one.document.path for one in reader.documents(reader.similar_names(text, limit)).values()]

        assert similar("rie bread", 1) == ["Rye bread.md"]
        assert similar("rye", 5) == ["Rye beer.md", "Rye bread.md"]
        assert similar("boats", 5) == similar("ry", 5) == similar("", 5) == []


def test_a_document_comes_back_as_it_was_put(store: Store) -> None:
    given = record(
        "notes", "a/Ä b.md", "First part.", "Second part, 重跑.", tags=("x", "y"), facts={"k": "v"}, quality=0.7,
        authored_at=START_MS, problem="odd frontmatter",
    )  # fmt: skip
    with store.write() as writer:
        assert writer.put(given)
    with store.read() as reader:
        stored = reader.document(given.document.docid)
        assert stored is not None
        assert stored.document == given.document
        assert (stored.file, stored.problem, stored.vanished) == (given.file, "odd frontmatter", False)
        parts = reader.fragments_of(stored.id)
        assert [part.text for part in parts] == ["First part.", "Second part, 重跑."]
        assert reader.fragments([part.id for part in parts]) == {part.id: part for part in parts}
        assert reader.documents([stored.id, 999]) == {stored.id: stored}
        assert reader.fragments_after(0, 1) == parts[:1]


def test_a_file_name_that_is_no_text_survives(store: Store) -> None:
    path = b"caf\xe9-x.md".decode("utf-8", "surrogateescape")
    put(store, "notes", path, "Words.")
    with store.write() as writer:
        state = FileState(-5, 7, 2**40, b"caf\xe9")
        shut = Skipped("notes", "x.md", "closed", state, shut=True)
        skipped = [Skipped("notes", path, f"{path}: broken"), shut]
        writer.set_collection(CollectionState("notes", "/notes", 0), skipped)
    with store.read() as reader:
        assert list(reader.files("notes")) == [path]
        assert reader.docids() == {docid("notes", path): ("notes", path)}
        assert sorted(reader.skipped(), key=lambda one: one.shut) == [Skipped("notes", path, f"{path}: broken"), shut]
        assert reader.find_documents(EVERYTHING, 1)[0].document.path == path
        raw = reader.files("notes")[path].raw_hash
    assert put(store, "notes", path, "Other words.", expected_hash=raw)


def test_a_failed_write_leaves_nothing_behind(store: Store) -> None:
    put(store, "notes", "kept.md", "amber")
    with store.read() as reader:
        before = dump(reader)
    with pytest.raises(ZeroDivisionError), store.write() as writer:
        writer.put(record("notes", "lost.md", "amber basalt"))
        writer.remove(docid("notes", "kept.md"))
        writer.set_meta("key", "value")
        writer.fold([Register("d", "pinned", True, (1, "m", "e"))])
        _ = 1 // 0
    with store.read() as reader:
        assert dump(reader) == before
        assert reader.statistics().documents == 1
    assert put(store, "notes", "next.md", "cedar")


def test_a_write_sees_what_it_wrote(store: Store) -> None:
    with store.write() as writer:
        writer.put(record("notes", "a.md", "amber"))
        writer.set_meta("key", "value")
        assert writer.document(docid("notes", "a.md")) is not None
        assert writer.meta("key") == "value"
        assert list(writer.files("notes")) == ["a.md"]


def test_a_record_that_expects_another_text_is_refused(store: Store) -> None:
    first = record("notes", "a.md", "amber")
    assert put(store, "notes", "a.md", "amber")
    assert not put(store, "notes", "a.md", "basalt")
    assert not put(store, "notes", "a.md", "basalt", expected_hash="0" * 32)
    assert not put(store, "notes", "new.md", "basalt", expected_hash="0" * 32)
    assert put(store, "notes", "a.md", "basalt", expected_hash=first.document.raw_hash)
    with store.read() as reader:
        assert reader.terms(["amber", "basalt"]).keys() == {"basalt"}


def test_a_record_whose_identity_and_place_belong_to_two_documents_is_refused(store: Store) -> None:
    put(store, "notes", "a.md", "amber")
    put(store, "notes", "b.md", "amber")
    raw = record("notes", "a.md", "amber").document.raw_hash
    assert not put(store, "notes", "a.md", "cedar", docid=docid("notes", "b.md"), expected_hash=raw)


def test_state_outlives_a_new_text(store: Store) -> None:
    put(store, "notes", "a.md", "amber")
    state = DocumentState(pinned=True, archived=True, access_count=3)
    with store.write() as writer:
        writer.update(docid("notes", "a.md"), state=state)
    put(store, "notes", "a.md", "basalt", expected_hash=record("notes", "a.md", "amber").document.raw_hash)
    with store.read() as reader:
        stored = reader.document(docid("notes", "a.md"))
        assert stored is not None
        assert stored.state == state
        assert list(reader.each_document(EVERYTHING)) == []


def test_a_document_is_found_by_the_tags_that_it_took_over(store: Store) -> None:
    with store.write() as writer:
        for path, own, taken in (("a.md", ("red",), ("größe/xl", "blue")), ("b.md", ("blue",), ())):
            writer.put(record("notes", path, "amber", tags=own))
            writer.update(docid("notes", path), state=DocumentState(tags=taken))
    for tags, expected in (
        (("red",), ["a.md"]), (("GRÖSSE",), []), (("Größe",), ["a.md"]), (("blue",), ["a.md", "b.md"]),
        (("red", "blue"), ["a.md"]), (("xl",), []),
    ):  # fmt: skip
        with store.read() as reader:
            assert [stored.document.path for stored in list(reader.each_document(Filter(tags=tags)))] == expected, tags
    with store.read() as reader:
        stored = reader.document(docid("notes", "a.md"))
    assert stored is not None
    assert stored.tags == ("red", "größe/xl", "blue")


def test_hidden_documents_leave_room_for_others_in_a_match(store: Store) -> None:
    with store.write() as writer:
        for number in range(40):
            writer.put(record("notes", f"{number}.md", "amber amber amber", str(number)))
            if number != 7:
                writer.update(docid("notes", f"{number}.md"), state=DocumentState(forgotten=True))
    with store.read() as reader:
        term = reader.terms(["amber"])["amber"]
        found = reader.match([WantedTerm(term)], EVERYTHING, 3)
        rows = {stored.id for stored in list(reader.each_document(EVERYTHING))}
        assert [reader.fragments(found)[row].document for row in found] == list(rows)


def test_a_filter_admits_what_nothing_but_the_states_it_names_hides(store: Store) -> None:
    given = {
        "plain.md": DocumentState(),
        "old.md": DocumentState(archived=True),
        "former.md": DocumentState(superseded_by="x"),
        "wrong.md": DocumentState(invalidated_at=1, superseded_by="x"),
        "gone.md": DocumentState(forgotten=True, archived=True),
    }
    with store.write() as writer:
        for path, state in given.items():
            writer.put(record("notes", path, "amber"))
            writer.update(docid("notes", path), state=state)

    def found(*include: str) -> list[str]:
        within = Filter(include=include)
        with store.read() as reader:
            rows = reader.rows(within)
            listed = [stored for stored in list(reader.each_document(within)) if rows is None or rows.admits(stored.id)]
            return [stored.document.path for stored in listed]

    assert found() == ["plain.md"]
    assert found("archived") == ["old.md", "plain.md"]
    assert found("superseded", "invalidated") == ["former.md", "plain.md", "wrong.md"]
    assert found("superseded") == ["former.md", "plain.md"]


def test_a_filter_of_a_moment_admits_what_has_not_expired_and_one_of_the_past_what_was_true_then(
    store: Store,
) -> None:
    day = lambda number: START_MS + number * DAY  # noqa: E731
    given = {
        "guess.md": (1, DocumentState(ends_at=day(5), valid_to=day(5))),
        "former.md": (1, DocumentState(superseded_by="x", valid_to=day(4))),
        "newer.md": (4, DocumentState()),
        "old.md": (1, DocumentState(archived=True)),
        "gone.md": (1, DocumentState(forgotten=True)),
        "undated.md": (None, DocumentState()),
    }
    with store.write() as writer:
        for path, (since, state) in given.items():
            facts = {"valid_from": show_exactly(day(since))} if since == 4 else {}
            at = None if since is None or facts else day(since)
            writer.put(record("notes", path, "amber", authored_at=at, facts=facts))
            writer.update(docid("notes", path), state=state)

    def found(within: Filter) -> list[str]:
        with store.read() as reader:
            rows = reader.rows(within)
            listed = [stored.document.path for stored in list(reader.each_document(within))]
            every = list(reader.each_document(Filter(include_hidden=True)))
            assert listed == [d.document.path for d in every if rows is None or rows.admits(d.id)]
            return listed

    assert found(Filter(at=day(4))) == ["guess.md", "newer.md", "undated.md"]
    assert found(Filter(at=day(5))) == ["newer.md", "undated.md"]
    assert found(Filter(at=day(9), include=("superseded",))) == ["former.md", "guess.md", "newer.md", "undated.md"]
    assert found(Filter(as_of=day(3))) == ["former.md", "guess.md", "old.md", "undated.md"]
    assert found(Filter(as_of=day(4))) == ["guess.md", "newer.md", "old.md", "undated.md"]
    assert found(Filter(as_of=day(0))) == ["undated.md"]


def test_a_hollowed_document_keeps_its_row_its_links_and_nothing_of_its_text(store: Store) -> None:
    put(store, "notes", "a.md", "amber basalt", links=("x",), mentions=frozenset({"x", "y"}))
    with store.write() as writer:
        link(writer, docid("notes", "a.md"), [DocumentRelation(docid("notes", "a.md"), "references", "x")])
        stored = writer.document(docid("notes", "a.md"))
        assert stored is not None
        writer.hollow(replace(stored.document, title=""), ["y"])
    with store.read() as reader:
        assert [(d.document.path, links) for d, links in reader.unlinked("notes", 9)] == [("a.md", ())]
        after = reader.document(docid("notes", "a.md"))
        assert after is not None
        assert (after.id, after.document.title) == (stored.id, "")
        assert after.document.raw_hash == stored.document.raw_hash
        assert (reader.fragments_of(after.id), reader.terms(["amber"]), reader.statistics().fragments) == ([], {}, 0)
        assert reader.links("x", incoming=True) == [docid("notes", "a.md")]


def test_links_are_resolved_again_when_a_document_comes_or_goes_that_they_may_mean(store: Store) -> None:
    def waiting() -> list[str]:
        with store.read() as reader:
            return [stored.document.path for stored, _ in reader.unlinked("notes", 9)]

    def resolved() -> None:
        with store.write() as writer:
            for stored, links in writer.unlinked("notes", 9):
                source = stored.document.docid
                link(writer, source, [DocumentRelation(source, "references", link) for link in links])

    put(store, "notes", "a.md", "amber", links=("b", "deep/c.md"), mentions=frozenset({"b", "c"}))
    put(store, "notes", "plain.md", "cedar")
    assert waiting() == ["a.md"]
    resolved()
    assert waiting() == []
    put(store, "notes", "other.md", "basalt")
    put(store, "work", "b.md", "basalt")
    assert waiting() == []
    put(store, "notes", "x/B.md", "basalt")
    assert waiting() == ["a.md"]
    resolved()
    with store.write() as writer:
        writer.remove(docid("notes", "x/B.md"))
    assert waiting() == ["a.md"]
    with store.read() as reader:
        assert reader.links(docid("notes", "a.md")) == ["b", "deep/c.md"]
        found = reader.look_up("stem", ["notes/a", "notes/b"])
        assert found == [DocumentPlace(docid("notes", "a.md"), "notes", "a.md")]
    put(store, "notes", "a.md", "amber", expected_hash=stored_hash(store, "a.md"))
    assert waiting() == ["a.md"]
    with store.read() as reader:
        assert reader.unlinked("notes", 9)[0][1] == ()


def edge(source: str, kind: str, target: str, weight: float = 0.5, **given: Any) -> DocumentRelation:
    return DocumentRelation(docid("notes", source), kind, docid("notes", target), weight, **given)


def test_relations_are_found_from_both_ends_until_their_document_changes_or_one_end_goes(store: Store) -> None:
    a, b, c = (docid("notes", path) for path in ("a.md", "b.md", "c.md"))
    for path in ("a.md", "b.md", "c.md"):
        put(store, "notes", path, "amber")
    place = EvidencePlace(a, 1, 3, "h")
    with store.write() as writer:
        writer.set_relations(a, {"vectors": [edge("a.md", "semantic", "b.md"), edge("a.md", "semantic", "b.md")]})
        writer.set_relations(a, {"text": [edge("c.md", "causal", "b.md", at=7, until=9, evidence=(place,))]})
        writer.set_relations(b, {"vectors": [edge("b.md", "semantic", "c.md")]})
        writer.set_relations("nobody", {"vectors": [edge("a.md", "semantic", "c.md")]})
        writer.set_mark([*rows_of(writer, a, b, c), 10**6], "m")

    def found(*docids: str, types: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
        names = {a: "a", b: "b", c: "c"}
        with store.read() as reader:
            rows = reader.relations_of(docids, types)
        return sorted((names[one.source], one.type, names[one.target]) for one in rows)

    def waiting(mark: str) -> list[str]:
        with store.read() as reader:
            left = [stored.document.path for stored in reader.documents(reader.waiting("relations", mark, 9)).values()]
            assert reader.count_waiting("relations", mark) == len(left)
            assert reader.waiting("relations", mark, 1) == reader.waiting("relations", mark, 9)[:1]
            return left

    assert found(c) == [("b", "semantic", "c"), ("c", "causal", "b")]
    assert found(c, types=("causal", "none")) == [("c", "causal", "b")]
    assert found(a, b, c) == [("a", "semantic", "b"), ("b", "semantic", "c"), ("c", "causal", "b")]
    with store.read() as reader:
        assert reader.relations_of([c], ["causal"]) == [
            DocumentRelation(c, "causal", b, 0.5, 7, 9, "text", (place,)),
        ]
    assert (waiting("m"), waiting("n"), waiting("l")) == ([], ["a.md", "b.md", "c.md"], ["a.md", "b.md", "c.md"])
    put(store, "notes", "b.md", "basalt", expected_hash=stored_hash(store, "b.md"))
    assert (found(a, b, c), waiting("m")) == ([("a", "semantic", "b"), ("c", "causal", "b")], ["b.md"])
    with store.write() as writer:
        writer.set_relations(a, {"text": []})
        writer.set_relations(b, {"vectors": [edge("b.md", "semantic", "c.md")]})
        writer.set_mark(rows_of(writer, b), "m")
    assert found(a, b, c) == [("a", "semantic", "b"), ("b", "semantic", "c")]
    with store.write() as writer:
        writer.remove(c)
    assert (found(a, b, c), waiting("m")) == ([("a", "semantic", "b")], ["b.md"])
    with store.write() as writer:
        stored = writer.document(b)
        assert stored is not None
        writer.hollow(replace(stored.document, title=""))
    assert (found(a, b, c), waiting("m")) == ([], ["a.md", "b.md"])


def test_what_leads_to_a_document_does_not_lead_to_another_one_in_its_place(store: Store) -> None:
    for path in ("a.md", "b.md"):
        put(store, "notes", path, "amber")
    a = docid("notes", "a.md")
    with store.write() as writer:
        writer.set_relations(a, {"vectors": [edge("a.md", "semantic", "b.md")]})
        writer.set_relations(
            a, {"time": [edge("a.md", "temporal", "later.md", at=7), edge("a.md", "temporal", "b.md")]}
        )
        writer.set_mark(rows_of(writer, a), "m")
    with store.read() as reader:
        assert len(reader.relations_of([a])) == 3
    assert put(store, "notes", "b.md", "amber", docid="another0docid000", expected_hash=stored_hash(store, "b.md"))
    with store.read() as reader:
        assert [one.target for one in reader.relations_of([a])] == [docid("notes", "later.md")]
        assert reader.relations_of(["another0docid000"]) == []
        waiting = reader.documents(reader.waiting("relations", "m", 9)).values()
        assert [one.document.docid for one in waiting] == [a, "another0docid000"]


def test_names_are_counted_and_found_until_their_document_changes_or_goes(store: Store) -> None:
    for path, collection in (("a.md", "notes"), ("b.md", "notes"), ("c.md", "work")):
        put(store, collection, path, "amber")
    with store.read() as reader:
        rows = {path: reader.document(docid(name, path)) for path, name in (("a.md", "notes"), ("c.md", "work"))}
        a, c = (stored.id for stored in rows.values() if stored is not None)
        [first], [last] = ([part.id for part in reader.fragments_of(row)] for row in (a, c))
        first_two = [stored.document.path for stored in reader.documents(reader.waiting("entities", "1", 2)).values()]
        assert (first_two, len(reader.waiting("entities", "1")), reader.count_waiting("entities", "1")) == (
            ["a.md", "b.md"],
            3,
            3,
        )
    ines, ott = NamedEntity("Ines Aldana", "person"), NamedEntity("OTT", "other")
    with store.write() as writer:
        assert writer.set_entities(a, "1", [(first, ott), (first, ines), (first, ines)])
        assert writer.set_entities(c, "1", [(last, ott), (last, NamedEntity("O-tt", "place"))])
        assert not writer.set_entities(c, "1", [(first, ott)])
        assert not writer.set_entities(10**6, "1", [])
    with store.read() as reader:
        assert [tuple(one) for one in reader.list_spellings(9)] == [
            ("ott", "OTT", "other", 2),
            ("ott", "O-tt", "place", 1),
            ("inesaldana", "Ines Aldana", "person", 1),
        ]
        assert [one.name for one in reader.list_spellings(1)] == ["OTT"]
        assert [one.name for one in reader.list_spellings(9, "person", "ald")] == ["Ines Aldana"]
        assert sorted(reader.naming(["ott", "inesaldana"], EVERYTHING, 9)) == [(a, first), (c, last)]
        assert len(reader.naming(["ott"], EVERYTHING, 1)) == 1
        assert reader.naming(["ott"], Filter(collections=("work",)), 9) == [(c, last)]
        assert [len(reader.holders_of(["ott"], EVERYTHING, most)["ott"]) for most in (1, 2, 3)] == [1, 2, 2]
        other = (last, NamedEntity("O-tt", "place"), "ott", 3)
        held = {a: [(first, ines, "inesaldana", 1), (first, ott, "ott", 3)], c: [other, (last, ott, "ott", 3)]}
        assert (reader.count_waiting("entities", "1"), reader.count_waiting("entities", "2")) == (1, 3)
        assert reader.entities_in([c, a, 999]) == held
        keys = ["ott", "inesaldana", "nobody"]
        spelled = [(one.key, one.type, one.documents) for one in reader.list_spellings(9, keys=["ott", "nobody"])]
        assert sorted(spelled) == [("ott", "other", 2), ("ott", "place", 1)]
        assert reader.list_spellings(9, "place", keys=["inesaldana"]) == []
        assert reader.entities_in([a, c, 999], keys) == held
        assert reader.entities_in([a], ["ott"]) == {a: held[a][1:]}
        assert reader.entities_in([c], ["inesaldana"]) == {}
        both = sorted((docid("notes", "a.md"), docid("work", "c.md")))
        assert reader.holders_of(["ott", "inesaldana", "nobody"], EVERYTHING) == {
            "inesaldana": [docid("notes", "a.md")],
            "ott": both,
        }
        assert reader.holders_of(["ott"], Filter(collections=("work",))) == {"ott": [docid("work", "c.md")]}
    put(store, "notes", "a.md", "basalt", expected_hash=stored_hash(store, "a.md"))
    with store.write() as writer:
        writer.remove(docid("work", "c.md"))
    with store.read() as reader:
        assert (reader.list_spellings(9), reader.entities_in([a]), reader.count_waiting("entities", "1")) == ([], {}, 2)


def test_a_mean_outlasts_the_vector_that_it_equals(store: Store) -> None:
    for path in ("a.md", "b.md", "c.md"):
        put(store, "notes", path, "amber")
    with store.read() as reader:
        ids = [part.id for part in reader.fragments_after(0, 3)]
    levels, scales = quantize(np.eye(3, 8, dtype=np.float32))
    with store.write() as writer:
        writer.set_meta(COMPARED, SPACE, aside=True)
        writer.put_vectors(SPACE, ids, levels, scales)
        writer.set_means(
            MeanVector(row, docid("notes", path), "t", 0.5, one, 0.25)
            for row, path, one in zip((1, 2, 3), ("a.md", "b.md", "c.md"), levels, strict=True)
        )
    put(store, "notes", "a.md", "basalt", expected_hash=stored_hash(store, "a.md"))
    with store.write() as writer:
        writer.remove(docid("notes", "b.md"))
        writer.put_vectors(SPACE, ids[2:], -levels[2:], scales[2:])
    for gone in (SPACE, "other:8:1"):
        with store.write() as writer:
            writer.drop_space(gone)
        with store.read() as reader:
            assert [one.levels.tolist() for one in reader.means()] == levels.tolist()
            assert [one.gone for one in reader.means()] == [False, True, False]


def test_what_the_journal_says_of_relations_is_found_from_both_ends(store: Store) -> None:
    said = [
        Register("a", "relation:causal:b", {"weight": 0.5}, (1, "m", "e1")),
        Register("b", "relation:semantic:c", None, (2, "m", "e2")),
        Register("b", "relation:evidence:c", {"of": "c"}, (3, "m", "e3")),
        Register("c", "superseded_by", "d", (4, "m", "e4")),
        Register("c", "pinned", True, (5, "m", "e5")),
    ]
    with store.write() as writer:
        writer.fold(said)
    with store.read() as reader:
        assert reader.find_relations(["a"]) == said[:1]
        assert reader.find_relations(["b"]) == [said[0], said[2], said[1]]
        # Of what it does not know the store finds no far end.
        assert reader.find_relations(["c"]) == [said[1], said[3]]
        assert reader.find_relations(["d", "nobody"]) == [said[3]]


def test_documents_are_looked_up_by_docid_within_a_filter(store: Store) -> None:
    put(store, "notes", "a.md", "amber")
    put(store, "work", "b.md", "amber")
    a, b = docid("notes", "a.md"), docid("work", "b.md")
    with store.read() as reader:
        found = reader.find_rows("docid", [b, a, b, "nobody"], EVERYTHING)
        assert found == {stored.id: name for name in (a, b) if (stored := reader.document(name))}
        assert list(reader.find_rows("docid", [a, b], Filter(collections=("work",))).values()) == [b]


def stored_hash(store: Store, path: str) -> str:
    with store.read() as reader:
        return reader.files("notes")[path].raw_hash


def test_scrubbing_changes_nothing_that_is_there(store: Store) -> None:
    put(store, "notes", "a.md", "amber basalt")
    put(store, "notes", "b.md", "cedar")
    with store.write() as writer:
        writer.remove(docid("notes", "b.md"))
    with store.read() as reader:
        before = dump(reader)
    assert store.scrub()
    with store.read() as reader:
        assert dump(reader) == before
    assert put(store, "notes", "c.md", "cedar amber")
    with store.read() as reader:
        assert reader.terms(["cedar", "amber"])["cedar"].df == 1


def test_a_register_names_the_event_that_set_it(store: Store) -> None:
    with store.write() as writer:
        writer.fold([Register("d", "pinned", True, (2, "m", "late"))])
        writer.fold([Register("d", "pinned", False, (1, "m", "early"))])
    with store.read() as reader:
        assert (
            reader.registers("d", "pinned").set_by("pinned"),
            reader.registers("d", "archived").set_by("archived"),
        ) == ("late", None)


def test_documents_that_bear_another_docid_than_their_file_names_are_known(store: Store) -> None:
    for name in ("b", "a"):
        put(store, "notes", f"{name}.md", "amber", named="0" * 16)
    put(store, "notes", "c.md", "amber", named=docid("notes", "c.md"))
    put(store, "notes", "d.md", "amber")
    put(store, "other", "a.md", "amber", named="0" * 16)
    with store.read() as reader:
        assert [stored.document.path for stored in reader.misnamed("notes")] == ["a.md", "b.md"]


def test_every_document_is_read_once_in_order_however_many_there_are(store: Store) -> None:
    paths = [f"{number:04}.md" for number in range(1_203)]
    with store.write() as writer:
        for path in reversed(paths):
            assert writer.put(record("notes", path, "A word."))
    with store.read() as reader:
        assert [stored.document.path for stored in reader.each_document(EVERYTHING)] == paths
        assert [stored.document.path for stored in reader.find_documents(EVERYTHING, 2)] == paths[:2]


def test_what_is_to_be_reviewed_is_found_by_its_date(store: Store) -> None:
    for name, day in (("a", 5), ("b", None), ("c", 3), ("d", 9)):
        put(store, "notes", f"{name}.md", "amber", review_by=day)
    with store.read() as reader:
        assert [stored.document.path for stored in reviewed(reader, 9)] == ["c.md", "a.md"]
        assert reviewed(reader, 3) == []


def test_what_was_read_with_something_wrong_in_it_is_found(store: Store) -> None:
    for name, problem in (("a", None), ("b", "line 3 is no YAML")):
        put(store, "notes", f"{name}.md", "amber", problem=problem)
    with store.read() as reader:
        found = list(reader.each_document(Filter(include_hidden=True, faulty=True)))
    assert [(stored.document.path, stored.problem) for stored in found] == [("b.md", "line 3 is no YAML")]


def test_sets_and_registers_are_read_in_part(store: Store) -> None:
    with store.write() as writer:
        members = [("s", "turns", "a", 5), ("s", "turns", "c", 9), ("s", "turns", "b", 9), ("s", "files", "x", 1)]
        writer.fold(Member(*member) for member in (*members, ("other", "turns", "d", 99), ("s", "turns", "a", 3)))
        fields = [("s", "shown:t1"), ("s", "shown:t10"), ("s", "shown"), ("s", "show\U0010ffff"), ("other", "shown:t1")]
        writer.fold(Register(subject, field, field, (1, "m", "e")) for subject, field in fields)
    with store.read() as reader:
        assert list(reader.keys("s", "turns").items()) == [("b", 9), ("c", 9), ("a", 5)]
        assert list(reader.keys("s", "turns", 1)) == ["b"]
        assert reader.keys("s", "turns", 0) == reader.keys("nobody", "turns") == {}
        assert list(reader.registers("s", "shown:t1")) == ["shown:t1", "shown:t10"]
        assert list(reader.registers("s", "shown")) == ["shown", "shown:t1", "shown:t10"]
        assert len(reader.registers("s")) == 4
        assert list(reader.holders("shown:t1").items()) == [("other", "shown:t1"), ("s", "shown:t1")]
        assert reader.holders("nothing") == {}


def test_what_was_not_noticed_as_it_reads_now_is_listed_by_date(store: Store) -> None:
    with store.write() as writer:
        dated = {"a.md": 3, "b.md": 1, "c.md": 2}
        made = {name: record("notes", name, f"# {name}", "text", authored_at=at) for name, at in dated.items()}
        docids = {name: one.document.docid for name, one in made.items()}
        for one in made.values():
            writer.put(one)
        seen = name_noticed(docids["b.md"])
        writer.fold([Register(seen, "noticed", made["b.md"].document.body_hash, (1, "m", "e"))])
        writer.fold([Register(name_noticed(docids["c.md"]), "noticed", "of another text", (1, "m", "e"))])
    with store.read() as reader:
        assert reader.unnoticed(Filter(), 9) == [docids["c.md"], docids["a.md"]]
        assert reader.unnoticed(Filter(), 1) == [docids["c.md"]]
        assert reader.unnoticed(Filter(("other",)), 9) == []


def test_merging_terms_changes_no_match(store: Store) -> None:
    for number in range(5):
        put(store, "notes", f"{number}.md", f"amber {'basalt' if number % 2 else 'cedar'}")
    with store.write() as writer:
        writer.remove(docid("notes", "3.md"))

    def matched() -> list[int]:
        with store.read() as reader:
            rows = reader.terms(["amber", "basalt"]).values()
            return reader.match([WantedTerm(row) for row in rows], EVERYTHING, 10)

    before = matched()
    with store.write() as writer:
        writer.merge_terms()
    assert matched() == before and len(before) == 4
    assert store.check(deep=True) == []


def test_the_heaviest_come_first_in_a_match(store: Store) -> None:
    put(store, "notes", "once.md", "amber cedar")
    put(store, "notes", "twice.md", "amber amber cedar")
    put(store, "notes", "both.md", "amber basalt")
    with store.read() as reader:
        rows = reader.terms(["amber", "basalt"])
        found = reader.match([WantedTerm(rows["amber"]), WantedTerm(rows["basalt"], weight=2.0)], EVERYTHING, 10)
        names = [
            reader.documents([f.document])[f.document].document.path for f in map(reader.fragments(found).get, found)
        ]
        assert names == ["both.md", "twice.md", "once.md"]
        assert len(reader.match([WantedTerm(rows["amber"], strong_only=True)], EVERYTHING, 10)) == 1


def test_a_match_within_a_small_collection_is_that_part_of_the_whole_match(store: Store) -> None:
    rng = random.Random(4)
    for number in range(60):
        words = " ".join(rng.choices(("alpha", "beta", "gamma", "delta"), k=5))
        assert put(store, "work" if number % 9 == 0 else "notes", f"{number}.md", words)
    with store.read() as reader:
        rows = reader.terms(["alpha", "beta", "gamma", "delta"]).values()
        plan = [WantedTerm(row, weight=1.0 + at) for at, row in enumerate(rows)]
        within = Filter(collections=("work",))
        admitted = {posting.fragment for posting in reader.postings(range(1, 200), within)}
        whole = [fragment for fragment in reader.match(plan, EVERYTHING, 1_000) if fragment in admitted]
        assert reader.match(plan, within, 1_000) == whole != []


def test_prefixes_list_the_commonest_first(store: Store) -> None:
    for number, text in enumerate(("storage", "storage stored stories", "story stories")):
        put(store, "notes", f"{number}.md", text)
    with store.read() as reader:
        found = reader.terms_with_prefix("stor", 10)
        assert [row.df for row in found] == sorted((row.df for row in found), reverse=True)
        assert reader.terms_with_prefix("stor", 1) == found[:1]
        assert reader.terms_with_prefix("zzz", 10) == []


def test_vectors_come_in_the_order_of_fragments_and_go_with_them(store: Store) -> None:
    put(store, "notes", "a.md", "amber", "basalt", "cedar")
    put(store, "notes", "b.md", "delta")
    with store.read() as reader:
        ids = [part.id for part in reader.fragments_after(0, 10)]
        assert [part.id for part in reader.fragments_after(0, 10, without=(SPACE, 3))] == ids
    levels, scales = quantize(np.eye(4, 8, dtype=np.float32))
    with store.write() as writer:
        writer.put_vectors(SPACE, [ids[2], ids[0], 999], levels[:3], scales[:3])
    with store.read() as reader:
        block = reader.vectors(SPACE)
        assert block.fragments.tolist() == [ids[0], ids[2]]
        assert block.vectors.dtype == np.int8
        assert (block.vectors[0] == levels[1]).all()
        assert block.scales.dtype == np.float32
        assert reader.vectors(SPACE, after=ids[0]).fragments.tolist() == [ids[2]]
        assert reader.vectors(SPACE, fragments=[ids[2], ids[1]]).fragments.tolist() == [ids[2]]
        assert [part.id for part in reader.fragments_after(ids[1], 1, without=(SPACE, 3))] == [ids[3]]
        assert reader.spaces() == {SPACE: VectorSpace(2)}
        assert (reader.last_vector(SPACE), reader.last_vector("none")) == (ids[2], 0)
        removals = reader.vector_removals()
    with store.write() as writer:
        writer.remove(docid("notes", "a.md"))
    with store.read() as reader:
        assert reader.spaces() == {}
        assert reader.last_vector(SPACE) == 0
        assert reader.vector_removals() > removals


@pytest.mark.parametrize(("title", "counted"), [("Log", {"cedar"}), ("Diary", {"amber", "basalt", "cedar"})])
def test_of_a_document_that_grew_only_the_new_is_counted_unless_its_name_is_another(
    store: Store, title: str, counted: set[str]
) -> None:
    first = record("notes", "log.md", "amber", "basalt", title="Log")
    grown = record("notes", "log.md", "amber", "basalt", "cedar", title=title)
    asked = set()

    def count(part: AnalyzedFragment) -> FragmentTerms:
        asked.add(part.fragment.text)
        return part.counted

    lazy = [AnalyzedFragment(p.fragment, partial(count, p), p.start_byte, p.end_byte) for p in grown.fragments]
    with store.write() as writer:
        assert writer.put(first)
        assert writer.put(replace(grown, fragments=lazy, expected_hash=first.document.raw_hash))
    assert asked == counted
    with store.read() as reader:
        assert reader.terms(["amber", "basalt", "cedar"]).keys() == {"amber", "basalt", "cedar"}


@pytest.mark.parametrize("title", ["a", "Another"])
def test_fragments_that_stay_as_they_were_keep_their_vectors_under_the_same_title(store: Store, title: str) -> None:
    put(store, "notes", "a.md", "amber", "basalt", title="a")
    with store.read() as reader:
        first, second = (part.id for part in reader.fragments_after(0, 10))
    with store.write() as writer:
        writer.put_vectors(SPACE, [first, second], *quantize(np.eye(2, 8, dtype=np.float32)))
    expected = stored_hash(store, "a.md")
    put(store, "notes", "a.md", "amber", "bronze", "cedar", expected_hash=expected, title=title)
    with store.read() as reader:
        parts = reader.fragments_after(0, 10)
        assert [part.text for part in sorted(parts, key=lambda part: part.seq)] == ["amber", "bronze", "cedar"]
        kept = [first] if title == "a" else []
        assert reader.vectors(SPACE).fragments.tolist() == kept
        assert [part.id for part in parts if part.id <= second] == kept
        check_frequencies(reader)


@pytest.mark.parametrize("late", [True, False])
def test_a_vector_that_is_replaced_or_comes_late_counts_as_a_removal(store: Store, late: bool) -> None:
    put(store, "notes", "a.md", "amber", "basalt")
    levels, scales = quantize(np.eye(1, 8, dtype=np.float32))
    with store.read() as reader:
        first, second = (part.id for part in reader.fragments_after(0, 2))
    with store.write() as writer:
        writer.put_vectors(SPACE, [second], levels, scales)
    with store.read() as reader:
        before = reader.vector_removals()
    with store.write() as writer:
        writer.put_vectors(SPACE, [first if late else second], levels, scales)
    with store.read() as reader:
        assert reader.vector_removals() > before


def test_failures_count_until_a_vector_comes(store: Store) -> None:
    put(store, "notes", "a.md", "amber")
    with store.read() as reader:
        fragment = reader.fragments_after(0, 1)[0].id
    for tries in range(3):
        with store.read() as reader:
            assert len(reader.fragments_after(0, 10, without=(SPACE, 3))) == 1, tries
        with store.write() as writer:
            writer.put_vectors(SPACE, (), (), (), {fragment: "the model refused"})
    with store.read() as reader:
        assert reader.fragments_after(0, 10, without=(SPACE, 3)) == []
        assert len(reader.fragments_after(0, 10, without=("other", 3))) == 1
    with store.write() as writer:
        writer.drop_space(SPACE)
    with store.read() as reader:
        assert len(reader.fragments_after(0, 10, without=(SPACE, 3))) == 1


def test_spaces_tell_what_they_lack_and_what_failed(store: Store) -> None:
    put(store, "notes", "a.md", "amber", "basalt", "cedar")
    with store.read() as reader:
        ids = [part.id for part in reader.fragments_after(0, 10)]
        assert reader.spaces() == {}
        assert reader.lacking(SPACE) == ids
    levels, scales = quantize(np.eye(2, 8, dtype=np.float32))
    with store.write() as writer:
        writer.put_vectors("b:8:1", ids[:2], levels, scales)
        writer.put_vectors("a:8:1", ids[1:2], levels[:1], scales[:1])
        for error in ("too long", "too odd"):
            writer.put_vectors("c:8:1", (), (), (), {ids[2]: error})
        writer.put_vectors("c:8:1", (), (), (), {ids[0]: "too long"})
    with store.read() as reader:
        refused = (Failure(ids[0], 1, "too long"), Failure(ids[2], 2, "too odd"))
        assert [*reader.spaces()] == ["a:8:1", "b:8:1", "c:8:1"]
        assert reader.spaces() == {"a:8:1": VectorSpace(1), "b:8:1": VectorSpace(2), "c:8:1": VectorSpace(0, refused)}
        assert [reader.lacking(space) for space in ("a:8:1", "b:8:1")] == [[ids[0], ids[2]], [ids[2]]]
    with store.write() as writer:
        writer.put_vectors("c:8:1", ids[2:], levels[:1], scales[:1])
        writer.drop_space("b:8:1")
    with store.read() as reader:
        assert reader.spaces() == {"a:8:1": VectorSpace(1), "c:8:1": VectorSpace(1, refused[:1])}


def test_a_reader_keeps_its_view_while_others_write(store: Store) -> None:
    put(store, "notes", "a.md", "amber")
    with store.read() as reader:
        before = dump(reader)
        put(store, "notes", "b.md", "basalt")
        assert dump(reader) == before
    with store.read() as reader:
        assert reader.statistics().documents == 2


def test_readers_see_whole_writes_only(store: Store) -> None:
    failures: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            with store.read() as reader:
                documents, fragments = reader.statistics().documents, reader.statistics().fragments
                if (
                    documents % 2
                    or fragments != 2 * documents
                    or len(list(reader.each_document(EVERYTHING))) != documents
                ):
                    failures.append(f"{documents} documents, {fragments} fragments")

    watchers = [threading.Thread(target=watch) for _ in range(3)]
    for watcher in watchers:
        watcher.start()
    for number in range(20):
        with store.write() as writer:
            writer.put(record("notes", f"{number}-a.md", "amber", "basalt"))
            writer.put(record("notes", f"{number}-b.md", "cedar", "delta"))
    done.set()
    for watcher in watchers:
        watcher.join()
    assert failures == []


def test_writers_of_many_threads_take_turns(store: Store) -> None:
    def write(name: int) -> None:
        for number in range(5):
            put(store, "notes", f"{name}-{number}.md", f"amber {name} {number}")

    writers = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with store.read() as reader:
        assert reader.statistics().documents == 20
        assert reader.terms(["amber"])["amber"].df == 20


def test_the_timeline_is_ordered_by_date_and_includes_a_hidden_focus(store: Store) -> None:
    for number in range(5):
        put(store, "notes", f"{number}.md", str(number), authored_at=START_MS + number * DAY)
    with store.write() as writer:
        writer.update(docid("notes", "2.md"), state=DocumentState(archived=True))
        writer.update(docid("notes", "1.md"), state=DocumentState(archived=True))
    with store.read() as reader:
        focus = reader.document(docid("notes", "2.md"))
        assert focus is not None
        found = reader.neighbours(focus.id, 2, 1, EVERYTHING)
        assert [stored.document.path for stored in found] == ["0.md", "2.md", "3.md"]
        assert reader.neighbours(999, 2, 1, EVERYTHING) == []


# -- both stores ------------------------------------------------------------------------------------------------------


def dump(reader: Reader) -> dict[str, Any]:
    """All that can be observed, row numbers included; the generation and removals only grow, so they stay out."""
    statistics = reader.statistics()
    documents = list(reader.each_document(Filter(include_hidden=True)))
    parts = reader.fragments_after(0, 10_000)
    ids = [part.id for part in parts]
    names = {row.id: row for prefix in ("", "=") for row in reader.terms_with_prefix(prefix, 10_000)}
    known = reader.terms([row.term for row in names.values()])
    rows = [row.id for row in known.values()]
    vocabulary = sorted(known.values(), key=lambda row: row.term)
    return {
        "statistics": (statistics.documents, statistics.fragments, statistics.total_length, statistics.languages),
        "documents": documents,
        "docids": reader.docids(),
        "fragments": parts,
        "terms": sorted((row.term, row.df, row.strong) for row in names.values()),
        "postings": [_posting(posting, names) for posting in reader.postings(ids, Filter(include_hidden=True))],
        "files": {name: reader.files(name) for name in ("notes", "work", "_hearth")},
        "collections": reader.collections(),
        "skipped": reader.skipped(),
        "links": {stored.document.docid: reader.links(stored.document.docid, incoming=True) for stored in documents},
        "links of": {stored.document.docid: reader.links(stored.document.docid) for stored in documents},
        "replaced": [reader.links(stored.document.docid, "supersedes", incoming=True) for stored in documents],
        "replacing": [reader.links(stored.document.docid, "supersedes") for stored in documents],
        "relations": reader.relations_of([docid(name, path) for name in COLLECTIONS for path in PATHS]),
        "unmarked": [
            (reader.waiting("relations", mark, 99), reader.count_waiting("relations", mark)) for mark in ("1", "2")
        ],
        "admitted": [reader.find_rows("docid", sorted(reader.docids()), within) for within in FILTERS],
        "said": {name: reader.find_relations([name]) for name in SUBJECTS},
        "beside": [_beside(reader, stored.document.docid) for stored in documents],
        "means": [(one.document, one.text, one.levels.tolist(), one.reach, one.gone) for one in reader.means()],
        "after": reader.waiting("relations", "1", 3, after=2),
        "unlinked": {name: reader.unlinked(name, 99) for name in COLLECTIONS},
        "stems": reader.look_up("stem", [f"{name}/{stem}" for name in COLLECTIONS for stem in ("a", "c", "äpfel")]),
        "filters": [_filtered(reader, within, ids, vocabulary) for within in FILTERS],
        "neighbours": [_paths(reader.neighbours(stored.id, 2, 2, EVERYTHING)) for stored in documents],
        "vectors": _vectors(reader, ids),
        "folded": reader.folded(),
        "registers": {name: reader.registers(name) for name in SUBJECTS},
        "members": {name: reader.subject(name).members for name in SUBJECTS},
        "pinned": [*reader.holders("pinned", True)],
        "position": reader.meta("journal"),
        "meta": reader.meta("key"),
        "terms counted": len(rows),
    }


def _beside(reader: Reader, name: str) -> list[str | None]:
    found = [reader.beside(name, types, later=later) for types in ((), ("decision",)) for later in (False, True)]
    return [None if one is None else one.document.docid for one in found]


def _posting(posting: Any, names: dict[int, Any]) -> tuple[Any, ...]:
    packed = Packed(posting.packed)
    counts = sorted((names[term].term, packed.counts(term)) for term in packed.ids())
    return posting.fragment, posting.document, posting.length, counts


def _filtered(reader: Reader, within: Filter, ids: list[int], vocabulary: list[TermRow]) -> tuple[Any, ...]:
    plan = [WantedTerm(row, number % 3 == 2, 1.0 + number) for number, row in enumerate(vocabulary[:6])]
    rows = reader.rows(within)
    return (
        _paths(list(reader.each_document(within))),
        _paths(reader.find_documents(within, 2)),
        reader.match(plan, within, 1000),
        reader.match(plan, within, 3),
        sorted(posting.fragment for posting in reader.postings(ids, within)),
        reader.documents_between(START_MS, START_MS + 4 * DAY, within, 3),
        None if rows is None else (sorted(rows.ids), rows.only),
    )


def _vectors(reader: Reader, ids: list[int]) -> Any:
    found = []
    blocks = (reader.vectors(SPACE), reader.vectors(SPACE, after=3), reader.vectors(SPACE, fragments=ids[::2]))
    documents = sorted({part.document for part in reader.fragments(ids).values()})
    for block in (*blocks, reader.vectors_within(SPACE, documents[::-1], 2)):
        columns = (block.fragments, block.documents, block.vectors, block.scales)
        found.append([column.tolist() for column in columns])
    missing = [part.id for part in reader.fragments_after(0, 5, without=(SPACE, 2))]
    return found, missing, reader.spaces(), reader.lacking(SPACE), reader.lacking("none")


def _paths(stored: list[Any]) -> list[tuple[str, str]]:
    return [(one.document.collection, one.document.path) for one in stored]


SUBJECTS = ("d1", "d2", "session:s")
PATHS = ("a.md", "b.md", "Deep/c.md", "Äpfel.md")
COLLECTIONS = ("notes", "work", "_hearth")
STEPS = st.tuples(st.integers(0, 16), st.integers(0, 2**32))


def apply(store: Store, step: int, seed: int) -> Any:
    """One write, chosen by numbers alone, so that two stores get the same one; its observable result."""
    rng = random.Random(seed)
    collection, path = rng.choice(COLLECTIONS), rng.choice(PATHS)
    name = docid(collection, path)
    if step <= 5:
        with store.read() as reader:
            known = reader.files(collection).get(path)
        expected = rng.choice((known.raw_hash if known else None,) * 4 + ("0" * 32,))
        with store.write() as writer:
            return writer.put(_random_record(rng, collection, path, expected))
    with store.write() as writer:
        if step == 6 and rng.random() < 0.3:
            stored = writer.document(name)
            if stored is not None:
                writer.hollow(replace(stored.document, title="", tags=()), rng.choice(((), ("a",))))
        elif step == 6:
            writer.remove(name)
        elif step == 7:
            at = rng.choice((None, START_MS + rng.randrange(9) * DAY))
            writer.update(name, committed=(at, None if at is None else rng.choice("ab")))
            writer.update(name, file=FileState(rng.randrange(9), rng.randrange(9), 7, path.encode()))
        elif step == 8:
            vanished = rng.random() < 0.6
            writer.update(name, vanished=vanished)
            writer.update(docid("notes", "a.md"), vanished=vanished)
        elif step == 9:
            state = DocumentState(pinned=True, archived=rng.random() < 0.5, forgotten=rng.random() < 0.3)
            writer.update(name, state=state)
        elif step == 10 and rng.random() < 0.5:
            others = [docid("notes", p) for p in rng.sample(PATHS, 2)]
            kind, origin = rng.choice((("references", LINKS), ("supersedes", FILE)))
            link(writer, name, [DocumentRelation(name, kind, other, origin=origin) for other in others])
        elif step == 10:
            held = rng.choice((None, "held"))
            read = (rng.choice("st"), rng.choice((None, "r")))
            skipped = [Skipped(collection, p, "no text") for p in rng.sample(PATHS, 2)]
            writer.set_collection(CollectionState(collection, f"/{collection}", seed, 0, held, 2, *read), skipped)
        elif step == 11:
            writer.drop_collection(collection)
        elif step == 12:
            fragments = [part.id for part in writer.fragments_after(0, 100)][rng.randrange(3) :: 2]
            vectors = np.random.default_rng(seed).standard_normal((len(fragments), 8), dtype=np.float32)
            writer.put_vectors(SPACE, fragments, *quantize(vectors))
        elif step == 13:
            for part in writer.fragments_after(rng.randrange(5), 3):
                writer.put_vectors(SPACE, (), (), (), {part.id: "refused"})
        elif step == 14:
            writer.fold(_random_primitives(rng))
            writer.set_meta("journal", f'{{"f.jsonl": [{seed}, 1, "x"]}}', aside=True)
            writer.set_meta("key", str(seed))
        elif step == 15:
            writer.drop_space(SPACE)
        else:
            writer.set_meta(COMPARED, SPACE, aside=True)
            others = [docid(rng.choice(COLLECTIONS), rng.choice(PATHS)) for _ in range(4)]
            rows = [
                DocumentRelation(others[at], rng.choice(("causal", "semantic")), others[at + 1], 0.5) for at in range(3)
            ]
            writer.set_relations(name, {rng.choice(("text", "vectors")): rows})
            writer.set_mark(rows_of(writer, name, others[0]), rng.choice("12"))
            stored = writer.document(name)
            if stored is not None:
                parts = writer.fragments_of(stored.id)[:1]
                own = writer.vectors(SPACE, fragments=[part.id for part in parts]).vectors
                levels = own[0] if len(own) else np.full(8, rng.randrange(9), dtype=np.int8)
                reach = rng.choice((None, 0.5))
                writer.set_means([MeanVector(stored.id, name, "t", 0.5, levels, reach)])
                writer.set_means((), {stored.id: 0.75, 10**6: 0.5} if rng.random() < 0.3 else {})
            rows = [one.document for one in writer.means()][rng.randrange(3) :: 3]
            writer.set_mark(rows, None) if rng.random() < 0.5 else writer.set_means((), without=rows)
    return None


def _random_record(rng: random.Random, collection: str, path: str, expected: str | None) -> Any:
    texts = [" ".join(rng.choices(WORDS, k=rng.randrange(1, 9))) for _ in range(rng.randrange(4))]
    return record(
        collection, path, *texts, expected_hash=expected, links=tuple(rng.sample(PATHS, 2)),
        mentions=frozenset(rng.sample(("a", "b", "c", "äpfel"), rng.randrange(3))),
        tags=tuple(rng.sample(("red", "Größe", "x"), rng.randrange(3))), language=rng.choice(("en", "de")),
        content_type=rng.choice(("note", "decision")), problem=rng.choice((None, "odd")),
        authored_at=rng.choice((None, START_MS + rng.randrange(7) * DAY)),
        committed_at=rng.choice((None, START_MS + rng.randrange(7) * DAY)),
    )  # fmt: skip


def _random_primitives(rng: random.Random) -> list[Register | Member]:
    found: list[Register | Member] = []
    for _ in range(4):
        subject = rng.choice(SUBJECTS)
        stamp = (rng.randrange(4), rng.choice("mn"), rng.choice("ef"))
        value = rng.choice((True, None, 0.5, "ä", {"b": 1, "a": [2]}))
        field = rng.choice(("pinned", "tags", "superseded_by", f"relation:causal:{rng.choice(SUBJECTS)}"))
        found.append(Register(subject, field, value, stamp))
        found.append(Member(subject, rng.choice(("recalled", "referenced")), rng.choice("kl"), rng.randrange(99)))
    return found


def check_history(folder: Path, steps: list[tuple[int, int]]) -> None:
    """All implementations do the same, and each gives again what it held, when its files are opened anew."""
    for name in STORES:
        (folder / name).mkdir()
    stores = [build(folder / name) for name, build in STORES.items()]
    try:
        for step, seed in steps:
            before = [(_generation(store), _documents(store)) for store in stores]
            done = [apply(store, step, seed) for store in stores]
            assert done == done[:1] * len(stores)
            for store, (old, documents) in zip(stores, before, strict=True):
                assert _generation(store) > old or (_generation(store) == old and _documents(store) == documents)
        for store, (name, build) in zip(stores, STORES.items(), strict=True):
            again = build(folder / name)
            with stores[0].read() as first, store.read() as mine, again.read() as reopened:
                expected = dump(first)
                for reader in (mine, reopened):
                    held = dump(reader)
                    for key in expected:
                        assert held[key] == expected[key], (name, key)
                check_frequencies(mine)
            assert store.check() == []
            again.close()
    finally:
        for store in stores:
            store.close()


def _documents(store: Store) -> list[Any]:
    """What a cache by generation may hold."""
    with store.read() as reader:
        vectors = reader.vectors(SPACE)
        rows = zip(vectors.fragments.tolist(), vectors.vectors.tolist(), vectors.scales.tolist(), strict=True)
        return [list(reader.each_document(Filter(include_hidden=True))), reader.fragments_after(0, 1000), list(rows)]


def _generation(store: Store) -> int:
    with store.read() as reader:
        return reader.statistics().generation


def check_frequencies(reader: Reader) -> None:
    """Counts kept while writing equal counts made from nothing."""
    parts = [part.id for part in reader.fragments_after(0, 10_000)]
    df: dict[int, int] = {}
    strong: dict[int, int] = {}
    postings = reader.postings(parts, Filter(include_hidden=True))
    for posting in postings:
        packed = Packed(posting.packed)
        for term in packed.ids():
            df[term] = df.get(term, 0) + 1
        for term in packed.strong_ids():
            strong[term] = strong.get(term, 0) + 1
    rows = [row for row in reader.terms_with_prefix("", 10_000) if row.df]
    vanished = reader.statistics().fragments - len(postings)
    if not vanished:
        assert {row.id: row.df for row in rows} == df
        assert {row.id: row.strong for row in rows if row.strong} == strong
        assert sum(posting.length for posting in postings) == reader.statistics().total_length


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_a_store_holds_the_same_after_any_history(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    check_history(tmp_path_factory.mktemp("histories"), steps)


@pytest.mark.torture
@pytest.mark.timeout(1200)
@settings(max_examples=1500, deadline=None)
@given(st.lists(STEPS, min_size=10, max_size=60))
def test_a_store_holds_the_same_after_a_thousand_histories(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    check_history(tmp_path_factory.mktemp("histories"), steps)
