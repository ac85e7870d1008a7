"""What people paste is text: no character of it is an operator unless somebody asked for operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hearth.core.query import Query, Recall
from hearth.recall.interfaces import RankingSettings
from hearth.recall.question import Language, ask
from hearth.recall.recall import Recaller

AT = 1_700_000_000_000
LINES = Path(__file__).with_name("plain_text.txt").read_text(encoding="utf-8").splitlines()
QUEUE = "The queue runs on redis, as we decided in spring.\n"


@pytest.fixture
def notes(box: Any) -> Any:
    box.write("queue.md", f"# Jobs\n\n{QUEUE}")
    box.write("said.md", 'She wrote: "never drain the queue by hand" and left.\n')
    box.write("apart.md", "By hand we never did the queue; drain it.\n")
    box.write("trip.md", "---\ntags: [trip/portugal]\n---\nSeen in spring.\n")
    box.sync()
    return box


def recall(box: Any, text: str, **given: Any) -> Recall:
    return Recaller(box.store, None, RankingSettings())(Query(text, at=AT, **{"recipe": "keyword", **given}))


def test_there_are_a_hundred_lines() -> None:
    assert len(LINES) >= 100


@pytest.mark.parametrize("recipe", ["keyword", "hybrid", "surface"])
def test_no_text_fails_and_none_that_names_a_thing_comes_back_empty(notes: Any, recipe: str) -> None:
    for line in LINES:
        found = recall(notes, line, recipe=recipe)
        assert found.hits or found.reason, line
        if recipe != "surface" and "queue" in line.split():
            assert found.hits, line


@pytest.mark.parametrize("line", LINES)
def test_plain_text_filters_excludes_and_requires_nothing(line: str) -> None:
    question = ask(Query(line, AT), Language())
    assert not question.within.narrow
    assert question.excluded == question.phrases == ()


def test_a_quoted_phrase_raises_what_holds_it_and_excludes_nothing(notes: Any) -> None:
    found = recall(notes, 'who said "drain the queue by hand"?', min_score=0.0)
    assert found.hits[0].path == "said.md"
    assert {hit.path for hit in found.hits} >= {"apart.md", "queue.md"}


def test_operators_are_read_where_they_are_asked_for(notes: Any) -> None:
    assert {hit.path for hit in recall(notes, "queue -redis", syntax=True).hits} == {"said.md", "apart.md"}
    assert [hit.path for hit in recall(notes, '"drain the queue by hand"', syntax=True).hits] == ["said.md"]


@pytest.mark.parametrize("given", [{"text": "tag:trip", "syntax": True}, {"text": "", "tags": ("#trip",)}])
def test_a_tag_alone_lists_what_carries_it_or_one_below_it(notes: Any, given: dict[str, Any]) -> None:
    found = recall(notes, **given)
    assert [hit.path for hit in found.hits] == ["trip.md"]
    assert found.confident


def test_a_filter_that_nothing_fits_says_so(notes: Any) -> None:
    assert recall(notes, "", tags=("nowhere",)).reason == "no document matches the filters"


@pytest.mark.parametrize("recipe", ["keyword", "hybrid"])
def test_an_emoji_finds_the_line_that_holds_it(notes: Any, recipe: str) -> None:
    notes.write("party.md", "# Party\n\n- 🦊 stands for Rita\n- 🐻 stands for Tom\n")
    notes.sync()
    found = recall(notes, "🦊", recipe=recipe)
    assert [hit.path for hit in found.hits] == ["party.md"]
    assert "🦊 stands for Rita" in found.hits[0].snippet
