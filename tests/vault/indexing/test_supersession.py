"""Notes that say in their frontmatter what they supersede."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hearth.core.document import docid

Box = Any
OLD = "# Sessions\n\nSigned tokens.\n"


def new(reference: str) -> str:
    return f"---\nsupersedes: {reference}\n---\n# Server sessions\n\nKept on the server.\n"


@pytest.mark.parametrize(
    "reference",
    [
        "decisions/0005.md", "0005.md", "0005", '"[[0005]]"', "../decisions/0005.md", "notes/decisions/0005.md",
        "hearth://notes/decisions/0005.md", docid("notes", "decisions/0005.md"), "[other.md, decisions/0005.md]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", [("old", "new"), ("new", "old")], ids=["old first", "new first"])
def test_a_note_gives_way_to_the_one_that_supersedes_it(box: Box, reference: str, order: tuple[str, str]) -> None:
    texts = {"old": ("decisions/0005.md", OLD), "new": ("decisions/0008.md", new(reference))}
    for which in order:
        box.write(*texts[which])
    box.sync()
    assert box.state("decisions/0005.md").superseded_by == docid("notes", "decisions/0008.md")
    assert not box.state("decisions/0008.md").hidden


@pytest.mark.parametrize("link", ["[[0005]]", "[5. Sessions](0005.md)", "[5](../decisions/0005.md#why)"])
def test_a_decision_may_say_so_in_its_first_lines(box: Box, link: str) -> None:
    box.write("decisions/0005.md", OLD)
    box.write("decisions/0008.md", f"# Server sessions\n\nStatus: accepted. Replaces {link}.\n")
    box.sync()
    assert box.state("decisions/0005.md").superseded_by == docid("notes", "decisions/0008.md")


@pytest.mark.parametrize("text", [f"---\ntrust: external\n{new('old.md')[4:]}", "Replaces [[old]]."])
def test_what_comes_from_outside_supersedes_nothing(box: Box, text: str) -> None:
    box.write("old.md", OLD)
    box.write("new.md", text if text.startswith("---") else f"---\ntrust: external\n---\n# New\n\n{text}\n")
    box.sync()
    assert not box.state("old.md").hidden


def test_it_is_back_when_the_other_says_so_no_more_or_is_gone(box: Box) -> None:
    box.write("old.md", OLD)
    box.write("more.md", "x")
    box.write("new.md", new("old.md"))
    box.sync()
    assert box.state("old.md").hidden
    box.write("new.md", new("nothing.md"))
    box.sync()
    assert not box.state("old.md").hidden
    box.write("new.md", new("old.md"))
    box.sync()
    assert box.state("old.md").hidden
    (box.root / "new.md").unlink()
    box.sync()
    assert not box.state("old.md").hidden


def test_an_edit_of_the_superseded_note_does_not_bring_it_back(box: Box) -> None:
    box.write("old.md", OLD)
    box.write("new.md", new("old.md"))
    box.sync()
    box.write("old.md", OLD + "More.\n")
    box.sync()
    assert box.state("old.md").hidden


def test_the_journal_can_add_to_it_but_a_pin_keeps_its_effect(box: Box) -> None:
    box.write("old.md", OLD)
    box.write("new.md", new("old.md"))
    box.sync()
    box.journalled("pin", "old.md")
    assert box.state("old.md").pinned
    assert box.state("old.md").superseded_by == docid("notes", "new.md")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_notes_that_supersede_each_other_in_a_circle_all_stay(box: Box, length: int) -> None:
    for at in range(length):
        box.write(f"{at}.md", new(f"{(at + 1) % length}.md"))
    box.sync()
    box.sync()
    assert [box.state(f"{at}.md").hidden for at in range(length)] == [False] * length


def test_of_a_chain_only_the_last_stays(box: Box) -> None:
    box.write("1.md", OLD)
    box.write("2.md", new("1.md"))
    box.write("3.md", new("2.md"))
    box.sync()
    assert [box.state(f"{at}.md").hidden for at in (1, 2, 3)] == [True, True, False]


def test_a_new_index_says_the_same(make_box: Callable[[], Box]) -> None:
    box = make_box()
    box.write("1.md", OLD)
    box.write("2.md", new("1.md"))
    box.sync()
    before = {path: box.state(path) for path in box.paths()}
    box.new_store()
    box.sync()
    assert {path: box.state(path) for path in box.paths()} == before
    assert before["1.md"].hidden
