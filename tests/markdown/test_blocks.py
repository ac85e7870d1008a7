"""The block scanner follows CommonMark's outline and covers every line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.markdown.blocks import Lines, opening, scan, words


def kinds(text: str) -> list[str]:
    return [block.kind for block in scan(Lines(text).rows)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\nb\n# c", ["heading", "text", "heading"]),
        ("#a\n####### b", ["text"]),
        ("a\n\n---\n\nb\n---\n", ["text", "rule", "heading"]),
        ("a\n    b", ["text"]),
        ("a\n\n    b\n\n    c\n\nd", ["text", "code", "text"]),
        ("- a\n- b\n\n- c\n\nd", ["list", "list", "list", "text"]),
        ("- a\nlazy\n\nnot", ["list", "text"]),
        ("- a\n\n  more\n  - nested\n\n      code\n\nout", ["list", "text"]),
        ("- # a\nnot lazy\n===", ["list", "heading"]),
        ("> # a\nnot lazy", ["quote", "text"]),
        ("a\n2. b", ["text"]),
        ("a\n1. b", ["text", "list"]),
        ("* * *", ["rule"]),
        ("> a\nlazy\n\n> b", ["quote", "quote"]),
        ("> a\n# b", ["quote", "heading"]),
        ("a | b\n--|--\n1 | 2\n\nc", ["table", "text"]),
        ("intro\na | b\n--|--\n1 | 2", ["text", "table"]),
        ("a | b\n--|--|--\n1 | 2", ["text"]),
        ("<div>\n*a*\n\nb", ["html", "text"]),
        ("a\n<b>\nc", ["text"]),
        ("<b>\na\n\nc", ["html", "text"]),
        ("<script>\n\na\n</script>\nb", ["html", "text"]),
        ("<!-- a\n\nb -->\nc", ["html", "text"]),
        ("<https://a.b>", ["text"]),
        ("``` a`b\nc", ["text"]),
        ("```\na\n``\n```` \nb", ["code", "text"]),
        ("~~~ a`b ~~~\nc\n~~~", ["code"]),
        ("- ```\n  a\nb", ["list", "text"]),
        ("\n\n", ["blank"]),
        ("", []),
    ],
)
def test_blocks_are_told_apart(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected
    assert kinds(text.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize(
    ("text", "level", "title"),
    [
        ("## A `b` **c** [d](e) ## ", 2, "A b c d"),
        ("#\tTab #hash", 1, "Tab #hash"),
        ("### ###", 3, ""),
        ("  # a_b __init__.py", 1, "a_b __init__.py"),
        ("two\nlines\n---", 2, "two lines"),
        ("# [[Note|shown]] 2 * 3", 1, "shown 2 * 3"),
        ("\ufeff# Marked", 1, "Marked"),
    ],
)
def test_titles_are_plain(text: str, level: int, title: str) -> None:
    block = next(scan(Lines(text).rows))
    assert (block.level, block.title) == (level, title)


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("#-=*+_`~<>|!:. \t\n\r1ab)"), max_size=120))
def test_blocks_cover_all_lines_in_order(text: str) -> None:
    lines = Lines(text)
    at = 0
    for block in scan(lines.rows):
        assert block.first == at < block.end
        at = block.end
    assert at == len(lines.rows)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("a\n\r\ufeffé"), max_size=40))
def test_lines_and_offsets_agree(text: str) -> None:
    lines = Lines(text)
    assert lines.starts[-1] == len(text)
    assert len(lines.starts) == len(lines.rows) + 1
    for offset in range(len(text)):
        assert lines.number(offset) == text.count("\n", 0, offset) + 1
        assert lines.offset(lines.number(offset)) <= offset


def test_words_are_counted_in_every_script() -> None:
    assert words("one two three") == 3
    assert words("記憶は紙の上") == 3
    assert words("use 記憶 now") == 3
    assert words("x" * 120) == 10
    assert words("") == 0


def test_an_opening_is_cut_after_so_many_words() -> None:
    assert opening("one\ntwo  three four", 3) == "one two three"
    assert 50 <= len(opening("記憶" * 200, 30)) <= 70
