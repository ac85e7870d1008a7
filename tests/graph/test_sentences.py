"""Causes that sentences tell: of the documents that they link or name, the same however these came."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.core.graph import CAUSES, DocumentRelation
from hearth.graph.deriving import Deriver
from hearth.graph.relations import relations_of
from hearth.models.static import quantize
from hearth.testing import HashEmbedder
from hearth.vault.embedding import Filler
from hearth.vault.ledger import Space, Spaces

EMBEDDER = HashEmbedder()
DAY = "---\ndate: 2026-03-04\n---\n\n"
STORM = "# Retry storm\n\nEvery client tried again at once.\n"


def derive(box: Any) -> None:
    Filler(box.store, quantize, nullcontext).run(EMBEDDER)
    spaces = Spaces(Space(lambda: EMBEDDER))
    Deriver(box.store, spaces, nullcontext).run()


def refresh(box: Any) -> None:
    box.sync(force=True)
    derive(box)


def rows(box: Any) -> list[DocumentRelation]:
    with box.store.read() as reader:
        return [one for one in reader.relations_of(list(reader.docids()), ("causal",)) if one.origin == CAUSES]


def told(box: Any) -> list[tuple[str, str, float]]:
    """What is told with any weight."""
    with box.store.read() as reader:
        known = {docid: path for docid, (_, path) in reader.docids().items()}
        found = relations_of(reader, list(known), ("causal",))
    return sorted((known[one.source], known[one.target], round(one.weight, 4)) for one in found if one.weight)


def test_a_sentence_tells_causes_of_what_it_links_and_of_what_it_names(box: Any) -> None:
    box.write("retry storm.md", STORM)
    box.write("pool.md", DAY + "# Pool\n\nTen connections.\nWe capped it because of [[retry storm]].\n")
    box.write(
        "alarm.md", DAY + "# Alarm\n\nIt rings since the retry storm led to no alarm.\n\nThe retry storm led to it.\n"
    )
    box.write("other.md", DAY + "# Other\n\nMaybe because of [[retry storm]]. See [[retry storm]].\n")
    refresh(box)
    assert told(box) == [("retry storm.md", "alarm.md", 0.9375), ("retry storm.md", "pool.md", 0.9)]
    [place] = next(one for one in rows(box) if one.weight == 0.9).evidence
    assert (place.start, place.end) == (8, 8)


def test_an_undated_note_explains_a_concept_and_is_no_effect_and_far_names_are_none(box: Any) -> None:
    box.write("retry storm.md", STORM)
    box.write("pool.md", "# Pool\n\nA pool is capped because of [[retry storm]].\n")
    box.write(
        "log.md", DAY + "# Log\n\nWe slept because, when anybody at all calls, [[retry storm]] is what they get.\n"
    )
    refresh(box)
    assert told(box) == []


def test_what_is_external_tells_nothing(box: Any) -> None:
    box.write("retry storm.md", STORM)
    box.write("clip.md", "---\ntrust: external\n---\n\nBecause of [[retry storm]] we left.\n")
    refresh(box)
    assert told(box) == []


def test_a_document_that_comes_later_is_meant_by_what_named_it_before(box: Any) -> None:
    box.write("a.md", DAY + "# A\n\nWe sleep because of [[retry storm]].\n")
    box.write("b.md", DAY + "# B\n\nDue to the retry storm we sleep.\n")
    refresh(box)
    assert told(box) == []
    box.write("retry storm.md", STORM)
    refresh(box)
    assert told(box) == [("retry storm.md", "a.md", 0.9), ("retry storm.md", "b.md", 0.75)]


def test_a_name_of_several_documents_means_none_until_one_is_left(box: Any) -> None:
    box.write("one.md", STORM)
    box.write("b.md", DAY + "# B\n\nDue to the retry storm we sleep.\n")
    refresh(box)
    assert told(box) == [("one.md", "b.md", 0.75)]
    box.write("two.md", STORM.replace("Every", "Again every"))
    refresh(box)
    assert told(box) == []
    (box.root / "one.md").unlink()
    refresh(box)
    assert told(box) == [("two.md", "b.md", 0.75)]
    box.write("two.md", "# Another name\n\nEvery client.\n")
    refresh(box)
    assert told(box) == []


TITLES = ("Retry storm", "Great flood", "New roof")
PATHS = ("a.md", "b.md", "c.md", "retry storm.md")


def change(box: Any, seed: int) -> None:
    rng = random.Random(seed)
    path = rng.choice(PATHS)
    if rng.random() < 0.25:
        (box.root / path).unlink(missing_ok=True)
        return
    said = rng.choice(("because of the {}", "due to [[{}]]", "the {} led to it", "not because of the {}"))
    line = said.format(rng.choice(TITLES).lower())
    box.write(path, f"{DAY}# {rng.choice(TITLES)}\n\nThis stands here {line}.\n\n{rng.random()}\n")


STEPS = st.lists(st.tuples(st.integers(0, 2**32), st.booleans()), max_size=10)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_a_rebuilt_index_tells_the_same(make_box: Callable[[], Any], steps: list[tuple[int, bool]]) -> None:
    box = make_box()
    for seed, at_once in steps:
        change(box, seed)
        box.sync(force=True)
        if at_once:
            derive(box)
    derive(box)
    before = rows(box)
    box.new_store()
    refresh(box)
    assert rows(box) == before
    for store in box.stores:
        store.close()
