"""Blocks in people's files come and go without touching a byte of theirs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.markdown.blocks import blank_marked_blocks, drop_marked_blocks
from hearth.markdown.marked_blocks import (
    CONTEXT,
    INSTRUCTIONS,
    BlockLeft,
    find,
    is_signed,
    put,
    sign,
    take_out,
)

LINES = st.lists(st.sampled_from(["", "# A", "- b", "text", "<!-- note -->"]), max_size=5)
TEXTS = st.builds(
    lambda rows, newline, end: newline.join(rows) + end,
    LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n"]),
)


@given(TEXTS)
def test_taking_a_block_out_gives_the_file_back_whatever_it_was(text: str) -> None:
    with_both = put(put(text, CONTEXT, "- one"), INSTRUCTIONS, "- two\n- three")
    assert take_out(take_out(with_both, INSTRUCTIONS) or "", CONTEXT) == text
    assert put(with_both, CONTEXT, "- one") == with_both


@given(TEXTS, TEXTS)
def test_what_is_written_around_a_block_stays_when_it_changes_and_goes(before: str, after: str) -> None:
    text = put(before, CONTEXT, "- old") + "\n" + after
    changed = put(text, CONTEXT, "- new")
    assert changed.startswith(before) and changed.endswith("\n" + after)
    assert "- old" not in changed and find(changed, CONTEXT) is not None
    left = take_out(changed, CONTEXT)
    assert left is not None and left.startswith(before) and left.endswith(after)


def test_a_file_that_held_nothing_else_is_gone_with_its_block() -> None:
    assert take_out(put(None, CONTEXT, "- one"), CONTEXT) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("- one", "- mine"),
        lambda text: text.replace("<!-- hearth:end -->", ""),
        lambda text: text + text,
        lambda text: text.replace("<!-- hearth:begin", "<!-- begin"),
        lambda text: text.replace("<!-- hearth:end -->", "- more\n<!-- hearth:end -->"),
    ],
)
def test_a_block_that_somebody_touched_is_never_changed(spoil: object) -> None:
    text = spoil(put("# A\n", CONTEXT, "- one"))  # type: ignore[operator]
    for change in (lambda: put(text, CONTEXT, "- two"), lambda: take_out(text, CONTEXT)):
        with pytest.raises(BlockLeft, match="block"):
            change()


def test_a_block_whose_line_ends_were_changed_by_git_is_still_ours() -> None:
    text = put("# A\n", CONTEXT, "- one\n- two").replace("\n", "\r\n")
    assert take_out(text, CONTEXT) == "# A\r\n"


def test_a_marker_that_is_only_written_about_is_no_block() -> None:
    text = "The block begins with `<!-- hearth:begin HASH -->`.\n"
    assert find(text, CONTEXT) is None and take_out(put(text, CONTEXT, "- one"), CONTEXT) == text


def test_blocks_are_blanked_line_by_line_and_dropped_whole_edited_or_not() -> None:
    text = put("# A\n", CONTEXT, "- secret").replace("secret", "secret, mine") + "tail\n"
    blank = blank_marked_blocks(text)
    assert len(blank) == len(text) and blank.count("\n") == text.count("\n")
    assert blank.split() == ["#", "A", "tail"] == drop_marked_blocks(text).split()


def test_an_edit_of_a_signed_file_is_noticed() -> None:
    assert is_signed(sign("# Skill\n")) and not is_signed(sign("# Skill\n").replace("Skill", "Mine"))
    assert not is_signed("# Skill\n")
