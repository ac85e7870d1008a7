"""What a person writes, moves or deletes on the page is theirs."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.pages.dream import memory_md
from hearth.pages.dream.fragments import DreamFragment
from hearth.pages.dream.memory_md import BrokenPage

MACHINE = "aaaaaaaaaa"
EDITS = int(os.environ.get("HEARTH_PAGE_EDITS", "60"))


def fragment(number: int, content_type: str = "fact", text: str | None = None) -> DreamFragment:
    said = text or f"Statement number {number} is said here."
    return DreamFragment(
        key=(f"{number:016d}", f"{number:012x}"),
        text=said,
        line=number + 1,
        place=f"daily/2026-01-{number % 28 + 1:02d}.md",
        content_type=content_type,
        signals=(),
        written="2026-01-20",
    )


def night(text: str, put: list[DreamFragment], out: list[DreamFragment]) -> str:
    return memory_md.edit(memory_md.read(text), MACHINE, put, [one.key for one in out])


def test_a_new_page_says_whose_is_what_and_has_one_block_without_an_empty_heading() -> None:
    text = night("", [fragment(1), fragment(2, "preference")], [])
    theirs = [*(f"## {name}" for name in memory_md.HEADINGS), "## Used again and again"]
    assert text.startswith("# Memory\n\n<!-- Yours: ") and memory_md.read(text).outside == ["# Memory", *theirs]
    headings = [row for row in text.split("\n") if row.startswith("##")]
    assert headings == [*theirs, "### Preferences", "### Facts"]
    assert text.count("hearth:dream machine=") == text.count("hearth:dream:end") == 1
    assert [item.key for item in memory_md.read(text).ours] == [fragment(2).key, fragment(1).key]


def test_lines_that_leave_take_their_heading_along_and_nothing_else() -> None:
    one = night("Mine.\n", [fragment(1)], [])
    both = night(one, [fragment(2, "preference")], [])
    assert night(both, [], [fragment(2)]) == one
    assert night(one, [], [fragment(7)]) == one


def test_windows_line_ends_stay() -> None:
    text = night("# Mine\r\n\r\ntext\r\n", [fragment(1)], [])
    assert text.startswith("# Mine\r\n\r\ntext\r\n")
    assert text.count("\n") == text.count("\r\n")
    assert [item.ours for item in memory_md.read(text).items] == [True]
    assert night(text, [fragment(2)], [fragment(1)]).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- hearth:dream:end -->\n",
        "<!-- hearth:dream machine=aaaaaaaaaa -->\n",
        "<!-- hearth:dream:end -->\n<!-- hearth:dream machine=aaaaaaaaaa -->\n",
        "<!-- hearth:dream machine=aaaaaaaaaa -->\n<!-- hearth:dream machine=aaaaaaaaaa -->\n",
        "x <!-- hearth:dream machine=aaaaaaaaaa -->\n<!-- hearth:dream:end -->\n",
        "<!-- hearth:dream machine=aaaaaaaaaa -->\n<!-- hearth:dream:end -->\n<!-- hearth:dream:end -->\n",
    ],
)
def test_markers_that_are_no_pair_are_refused(text: str) -> None:
    with pytest.raises(BrokenPage):
        memory_md.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "Promote this <!-- hearth:dream:end --> at once.",
        "Remember --> <!-- hearth:p 0000000000000009:000000000009 000000000000 --> it.",
        "Two\nlines <!--",
        "A link](x) and [another](y).",
    ],
)
def test_a_statement_that_imitates_markers_makes_none(text: str) -> None:
    written = night("", [fragment(1, text=text)], [])
    read = memory_md.read(written)
    assert [item.key for item in read.items] == [fragment(1).key]
    assert night(written, [], [fragment(1)]) == night(night("", [fragment(2)], []), [], [fragment(2)])


def test_a_line_that_was_moved_out_of_the_block_stays() -> None:
    text = night("", [fragment(1)], [])
    [item] = memory_md.read(text).ours
    rows = text.split("\n")
    moved = "\n".join([rows[item.row], *rows[: item.row], *rows[item.row + 1 :]])
    assert night(moved, [], [fragment(1)]) == moved
    assert fragment(1).key in memory_md.read(moved).marked


# Edits as people make them: (what, where, with what).
ROW = st.sampled_from(["", "- my own line", "### Facts", "## Mine", "text", "- [ ] a task", "```", "<!-- a note -->"])
EDIT = st.tuples(st.sampled_from(["insert", "change", "delete", "move", "prefix"]), st.integers(0, 10_000), ROW)


@settings(max_examples=EDITS, deadline=None)
@given(st.lists(st.tuples(st.lists(EDIT, max_size=4), st.integers(1, 3), st.integers(0, 20)), min_size=1, max_size=6))
def test_no_edit_of_a_person_is_lost_reverted_or_undone(
    nights: list[tuple[list[tuple[str, int, str]], int, int]],
) -> None:
    text, number = "# Mine\n\nThe first words are a person's.\n", 0
    known: set[tuple[str, str]] = set()
    for edits, count, leaving in nights:
        for edit in edits:
            text = edited(text, *edit)
        before = memory_md.read(text)
        put = [fragment(number + step) for step in range(count)]
        number += count
        out = [item.key for item in before.ours][:leaving]
        after = memory_md.edit(before, MACHINE, put, out)
        known |= {one.key for one in put}
        ours = {before.rows[item.row] for item in before.ours}
        headings = {f"### {name}" for name in memory_md.HEADINGS}
        theirs = [row for row in before.rows if row.strip() and row not in ours and row.strip() not in headings]
        rows = after.split("\n")
        assert [row for row in rows if row in set(theirs)] == theirs
        assert not any(fragment(one).text in after for one in range(number) if fragment(one).key not in known)
        assert {item.key for item in memory_md.read(after).ours} >= {one.key for one in put}
        text = after


def edited(text: str, what: str, where: int, row: str) -> str:
    """One edit of a line that is no marker of the block."""
    rows = text.split("\n")
    free = [number for number, one in enumerate(rows) if "hearth:dream" not in one]
    at = free[where % len(free)]
    if what == "insert":
        rows.insert(at, row)
    elif what == "change":
        rows[at] = rows[at].replace("number", "No.") or row
    elif what == "prefix":
        rows[at] = f"{rows[at]} (checked)"
    elif what == "delete":
        rows.pop(at)
    else:
        rows.insert(0, rows.pop(at))
    return "\n".join(rows)


@given(st.lists(st.sampled_from(["- mine", "", "### Facts", "text é", "<!-- note -->", "## Mine"]), max_size=12))
def test_without_our_items_every_other_character_stays_in_its_place(rows: list[str]) -> None:
    text = night("\n".join(rows), [fragment(1), fragment(2, "preference")], [])
    bare = memory_md.blank_items(text)
    assert len(bare) == len(text) and bare.count("\n") == text.count("\n")
    assert "Statement" not in bare and "hearth:" not in bare and "### Preferences" not in bare
    assert [row for row in bare.split("\n") if row in ("- mine", "text é")] == [
        row for row in rows if row in ("- mine", "text é")
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_page_in_which_git_left_a_conflict_is_refused(end: str) -> None:
    rows = ["# Memory", "<<<<<<< HEAD", "- tea", "=======", "- coffee", ">>>>>>> other", ""]
    with pytest.raises(BrokenPage, match="git conflict on lines 2, 4, 6"):
        memory_md.read(end.join(rows))
    for fine in (["Memory", "=======", "", "- tea"], ["<<<<<<< a", "text"], ["- a <<<<<<< b", "=======", ">>>>>>> c"]):
        assert memory_md.read(end.join(fine)).rows


def test_a_conflict_is_refused_though_the_markers_of_the_block_are_whole() -> None:
    text = night("", [fragment(1)], [])
    with pytest.raises(BrokenPage):
        memory_md.read(f"<<<<<<< HEAD\n- tea\n=======\n- coffee\n>>>>>>> other\n{text}")
