"""Relations that are derived: the same however the documents came, and again after a rebuild."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth import workers
from hearth.core.document import docid
from hearth.core.graph import DocumentRelation
from hearth.graph import similar_documents
from hearth.graph.deriving import Deriver, DeriveReport
from hearth.graph.relations import relations_of
from hearth.models.static import quantize
from hearth.testing import HashEmbedder
from hearth.vault.embedding import Filler
from hearth.vault.ledger import Space, Spaces

EMBEDDER = HashEmbedder()
WORDS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "gravel", "harbour")
NAMES = tuple(f"{name}.md" for name in "abcdefgh")


def derive(box: Any, *, embedded: bool = True, threshold: float = 0.5, **given: Any) -> DeriveReport:
    if embedded:
        Filler(box.store, quantize, nullcontext).run(EMBEDDER)
    spaces = Spaces(Space(lambda: EMBEDDER))
    deriver = Deriver(box.store, spaces, nullcontext, threshold, **given)
    done = deriver.run()
    with box.store.read() as reader:
        assert deriver.missing(reader) == done.missing
    return done


def rows(box: Any) -> list[DocumentRelation]:
    """All that is kept of what was derived."""
    with box.store.read() as reader:
        return reader.relations_of(list(reader.docids()))


def kinds(box: Any, kind: str) -> list[tuple[str, str]]:
    with box.store.read() as reader:
        known = {name: path for name, (_, path) in reader.docids().items()}
        found = relations_of(reader, list(known), (kind,))
    return sorted((known[one.source], known[one.target]) for one in found)


def write(box: Any, path: str, text: str, **fields: str) -> None:
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    box.write(path, f"---\n{head}---\n\n{text}\n" if head else f"{text}\n")


def test_what_is_next_in_a_project_comes_after_what_was_before(box: Any) -> None:
    for path, day, project in (("a.md", 1, "x"), ("b.md", 9, "y"), ("c.md", 8, "x"), ("d.md", 2, "y")):
        write(box, path, f"What {path} says.", date=f"2026-03-{day:02}", project=project)
    write(box, "undated.md", "Whenever.", project="x")
    box.sync()
    assert derive(box).added["temporal"] == 2
    assert kinds(box, "temporal") == [("a.md", "c.md"), ("d.md", "b.md")]
    [week] = [one for one in rows(box) if one.source == docid("notes", "a.md") and one.type == "temporal"]
    assert week.weight == 0.5
    write(box, "between.md", "Between.", date="2026-03-04", project="x")
    box.sync()
    derive(box)
    assert kinds(box, "temporal") == [("a.md", "between.md"), ("between.md", "c.md"), ("d.md", "b.md")]
    (box.root / "between.md").unlink()
    box.sync(force=True)
    derive(box)
    assert kinds(box, "temporal") == [("a.md", "c.md"), ("d.md", "b.md")]


def test_a_hand_off_follows_the_one_before_it(box: Any) -> None:
    for number in (1, 3):
        write(box, f"handoffs/{number}.md", "Where we were.", date=f"2026-03-0{number}")
    write(box, "between.md", "Something else.", date="2026-03-02")
    box.sync()
    derive(box)
    assert kinds(box, "follows") == [("handoffs/3.md", "handoffs/1.md")]
    write(box, "handoffs/2.md", "Where we were.", date="2026-03-02")
    box.sync()
    derive(box)
    assert kinds(box, "follows") == [("handoffs/2.md", "handoffs/1.md"), ("handoffs/3.md", "handoffs/2.md")]


def test_texts_relate_to_what_they_name_by_docid_or_path_even_where_that_comes_later(box: Any) -> None:
    name = docid("notes", "later.md")
    write(box, "deep/a.md", f"See #{name}, notes/deep/b.md and c.md; not x/b.md.\n\nOrdinarydecision2 is a word.")
    write(box, "deep/c.md", "Here.")
    box.sync()
    derive(box)
    assert kinds(box, "references") == [("deep/a.md", "deep/c.md")]
    write(box, "later.md", "Later.")
    write(box, "deep/b.md", "Later, too.")
    box.sync()
    derive(box)
    found = [("deep/a.md", "deep/b.md"), ("deep/a.md", "deep/c.md"), ("deep/a.md", "later.md")]
    assert kinds(box, "references") == found
    [one] = [one for one in rows(box) if (one.type, one.target) == ("references", name)]
    assert (one.origin, [(place.docid, place.start) for place in one.evidence]) == (
        "text",
        [(docid("notes", "deep/a.md"), 1)],
    )


def test_what_is_alike_is_related_once_its_vectors_are_there(box: Any) -> None:
    same = "amber basalt cedar delta"
    for path, text in (("a.md", same), ("b.md", f"{same}."), ("c.md", "quarry yonder zinc walrus")):
        write(box, path, text)
    box.sync()
    assert derive(box, embedded=False).missing == 3
    assert kinds(box, "semantic") == []
    assert derive(box).missing == 0
    assert [sorted(pair) for pair in kinds(box, "semantic")] == [["a.md", "b.md"]]
    assert derive(box).documents == 0
    write(box, "b.md", "something else now")
    box.sync()
    derive(box)
    assert kinds(box, "semantic") == []


def test_a_purge_erases_what_was_derived(box: Any) -> None:
    for path in ("a.md", "b.md", "c.md"):
        write(box, path, "amber basalt cedar delta", date=f"2026-03-0{ord(path[0]) - 96}")
    box.sync()
    derive(box)
    name = docid("notes", "b.md")
    assert any(name in (one.source, one.target) for one in rows(box))
    box.journalled("purge", "b.md", scope="index")
    assert not any(name in (one.source, one.target) for one in rows(box))
    derive(box)
    assert not any(name in (one.source, one.target) for one in rows(box))
    assert kinds(box, "temporal") == [("a.md", "c.md")]


def change(box: Any, seed: int) -> None:
    """A note that comes, changes, moves or leaves."""
    rng = random.Random(seed)
    path, other = rng.sample(NAMES, 2)
    file = box.root / path
    if file.exists() and rng.random() < 0.3:
        if rng.random() < 0.5:
            file.unlink()
        elif not (box.root / other).exists():
            file.rename(box.root / other)
        return
    text = " ".join(rng.choices(WORDS, k=6))
    named = rng.choice(("", f"[[{other[0]}]]", other, f"#{docid('notes', other)}"))
    day, project, kind = rng.randrange(1, 9), rng.choice("xy"), rng.choice(("note", "handoff"))
    write(box, path, f"{text}\n\n{named}", date=f"2026-03-0{day}", project=project, content_type=kind)


def check_history(box: Any, steps: list[tuple[int, bool]]) -> None:
    for seed, at_once in steps:
        change(box, seed)
        box.sync(force=True)
        if at_once:
            derive(box)
    derive(box)
    before, read = rows(box), _read(box)
    box.new_store()
    box.sync(force=True)
    derive(box)
    assert rows(box) == before
    assert _read(box) == read
    for store in box.stores:
        store.close()


def _read(box: Any) -> list[DocumentRelation]:
    with box.store.read() as reader:
        return relations_of(reader, list(reader.docids()))


STEPS = st.lists(st.tuples(st.integers(0, 2**32), st.booleans()), min_size=6, max_size=14)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_a_rebuilt_index_derives_the_same(make_box: Callable[[], Any], steps: list[tuple[int, bool]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # So few that not every document is near every other.
        patch.setattr(similar_documents, "NEAREST", 2)
        check_history(make_box(), steps)


def test_how_alike_documents_must_be_is_set_and_another_threshold_derives_anew(box: Any) -> None:
    for at, path in enumerate(NAMES):
        write(box, path, " ".join(WORDS[at : at + 4] + WORDS[: max(0, at - 4)]))
    box.sync()
    counts = []
    for threshold in (0.2, 0.5, 0.9):
        derive(box, threshold=threshold)
        counts.append(len(kinds(box, "semantic")))
        with box.store.read() as reader:
            assert all(one.weight >= threshold for one in relations_of(reader, list(reader.docids()), ("semantic",)))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_other_processes_read_the_same_texts(box: Any) -> None:
    for number in range(70):
        other = f"We chose it because of [[{(number + 7) % 70}]]; see {(number + 3) % 70}.md."
        write(
            box,
            f"{number}.md",
            f"{' '.join(WORDS[number % 5 :])} {number}. {other}",
            date=f"2026-03-{1 + number % 28:02}",
        )
    box.sync()
    derive(box)
    expected = rows(box)
    assert {one.type for one in expected} >= {"causal", "references", "temporal", "semantic"}
    box.new_store()
    box.sync()
    done = derive(box, spread=workers.spread, bulk=1)
    assert (done.documents, rows(box)) == (70, expected)
