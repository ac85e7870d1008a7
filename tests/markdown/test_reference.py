"""Our blocks against those of a reference parser: the same lines are headings, and the same lines are code.

Intended differences: a heading or code inside a list or a quote structures nothing, so only what stands at the top is
compared; link definitions, which CommonMark takes out of the text, are paragraphs to us; dashes alone underline a
heading, also where the line above has bars (the reference sees a table of one column); and a fence that a quote opens
ends with the quote's last line that may be a paragraph.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hearth.markdown.blocks import scan

REFERENCE = MarkdownIt("commonmark").enable("table").disable("reference")

LINES = st.sampled_from(
    (
        *("", "", "", "text", "more text", "  text", "    text", "     text", "\ttext"),
        *("# One", "## Two ##", "   ### Three", "    # no heading", "#", "#no", "####### seven", "# a # b", "\\# no"),
        *("===", "---", "  ---", "    ---", "--- -", "- - -", "***", "___", "=", "-", "--"),
        *("```", "````", "```py", "   ```", "    ```", "~~~", "~~~~", "~~~ x`y", "``` a`b", "`` ` ``"),
        *("- item", "-", "- ", "* item", "+ item", "1. one", "2) two", "10. ten", "  - inner", "    deep", "1.no"),
        *("-     code in item", "- # heading", "- ```", "> quote", ">", "> # quoted", ">quote"),
        *("<div>", "</div>", "<!-- remark", "remark -->", "<!-- one -->", "<pre>", "</pre>", "<b>bold</b>", "<?php"),
        *("?>", "<script>", "</script>", "<![CDATA[", "]]>", "<!DOCTYPE html>", "<x-y a='1'>", "<a", "<http://x.y>"),
        *("| a | b |", "|---|---|", "--|--", "a | b", "|"),
    )
)


def ours(text: str) -> tuple[dict[int, int], set[int]]:
    """Line of each heading -> its level, and the lines of code."""
    rows = text.split("\n")
    blocks = list(scan(rows))
    headings = {at: block.level for block in blocks if block.kind == "heading" for at in [_start(rows, block.first)]}
    code = {at for block in blocks if block.kind == "code" for at in range(block.first, block.end) if rows[at].strip()}
    return headings, code


def _start(rows: list[str], first: int) -> int:
    """Blank lines at the top of a file belong to its first block."""
    return next(at for at in range(first, len(rows)) if rows[at].strip())


def reference(text: str) -> tuple[dict[int, int], set[int]]:
    rows = text.split("\n")
    found = [token for token in REFERENCE.parse(text) if token.level == 0 and token.map]
    headings = {token.map[0]: int(token.tag[1]) for token in found if token.type == "heading_open" and token.map}
    code = [token.map for token in found if token.type in ("fence", "code_block") and token.map]
    return headings, {at for first, end in code for at in range(first, end) if rows[at].strip()}


@settings(max_examples=500, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_the_same_lines_are_headings_and_code(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert ours(text) == reference(text)


@pytest.mark.parametrize(
    ("text", "headings", "code"),
    [
        ("> quote\n    # lazy\n", {}, set()),
        ("-\n\n    code", {}, {2}),
        ("-     code in item\nparagraph\n===", {1: 1}, set()),
        ("a | b\n--|--\n    code", {}, {2}),
        ("-\n  ---\nparagraph\n---", {2: 2}, set()),
    ],
)
def test_what_a_list_a_quote_or_a_table_takes_in_is_decided_as_the_standard_does(
    text: str, headings: dict[int, int], code: set[int]
) -> None:
    assert ours(text) == reference(text) == (headings, code)
