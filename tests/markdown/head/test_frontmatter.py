"""Frontmatter is read as strings, within limits, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.markdown.frontmatter import MAX_BYTES, split

BLOCK = """---
title: "Use: the ledger"   # why
tags: [db, "a, b", 'c']
aliases:
  - one
  - two
date: 2024-01-01
draft: yes
count: 007
empty:
---
Body
"""


def refusal(block: str) -> str:
    found = split(f"---\n{block}\n---\nBody\n")
    assert (dict(found.fields), found.end_line, found.end_char) == ({}, 0, 0)
    assert found.problem is not None
    assert "\n" not in found.problem
    return found.problem


def test_every_scalar_stays_a_string_and_lists_are_tuples() -> None:
    assert dict(split(BLOCK).fields) == {
        "title": "Use: the ledger",
        "tags": ("db", "a, b", "c"),
        "aliases": ("one", "two"),
        "date": "2024-01-01",
        "draft": "yes",
        "count": "007",
        "empty": "",
    }


@pytest.mark.parametrize("text", [BLOCK, BLOCK.replace("\n", "\r\n"), "\ufeff" + BLOCK])
def test_the_body_starts_after_the_closing_line(text: str) -> None:
    found = split(text)
    assert found.problem is None
    assert found.end_line == 11
    assert text[found.end_char :].strip() == "Body"
    assert found.fields["aliases"] == ("one", "two")


@pytest.mark.parametrize(
    "text", ["", "Body", "\n---\na: b\n---\n", "----\na: b\n---\n", "---\n\nA rule above.\n\n---\n", "---"]
)
def test_text_without_a_block_on_line_one_has_none(text: str) -> None:
    found = split(text)
    assert (dict(found.fields), found.end_line, found.problem) == ({}, 0, None)


def test_an_empty_block_is_a_block() -> None:
    found = split("---\n---\nBody")
    assert (dict(found.fields), found.end_line, found.end_char, found.problem) == ({}, 2, 8, None)


def test_nested_maps_are_flattened_and_block_text_is_kept() -> None:
    found = split(
        "---\na:\n  b:\n    c: yes\n  d: [1, {e: 2}]\nl:\n  - name: x\n  - name: y\nt: |\n  one\n  two\n---\n"
    )
    assert dict(found.fields) == {
        "a.b.c": "yes",
        "a.d": ("1",),
        "a.d.e": ("2",),
        "l.name": ("x", "y"),
        "t": "one\ntwo\n",
    }


def test_the_last_of_two_equal_keys_counts_and_is_reported() -> None:
    for block in ("a: 1\na: 2", "a: 1\na: |\n  2"):
        found = split(f"---\n{block}\n---\n")
        assert found.fields["a"].strip() == "2"  # type: ignore[union-attr]
        assert found.problem is not None
        assert "'a'" in found.problem


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("a: &x 1\nb: 2", "anchors"),
        ("a: *x", "alias"),
        ("<<: {a: 1}", "merge"),
        ("a: !!python/object:os.system 1", "tags"),
        ("a: !t 1", "tags"),
        ("just text", "no keys"),
        ("- a\n- b", "no keys"),
        ("a: [unclosed", "line"),
        ('a: "unclosed', "line"),
        ("a: {{b: 1}: 2}", "key"),
        ("a: 1\n\tb: 2", "line"),
        ("a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}", "deeper"),
        ("a: |\n  x\x00", "character"),
    ],
)
def test_what_is_broken_or_not_allowed_leaves_the_file_to_the_body(block: str, reason: str) -> None:
    assert reason in refusal(block)


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor() -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    assert "line 2: anchors" in refusal("\n".join(rows))


@pytest.mark.parametrize("mark", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(mark: str) -> None:
    assert "deeper than 8" in refusal("a: " + mark * 9000 if mark != "- " else "a:\n  " + mark * 9000 + "x")


def test_nesting_of_a_hundred_kilobytes_is_refused() -> None:
    assert "64 KiB" in refusal("a: " + "[" * 100_000)


def test_many_keys_are_read_up_to_the_limit_and_refused_beyond() -> None:
    rows = [f"k{i}: v" for i in range(MAX_BYTES // 10)]
    assert len(split("---\n" + "\n".join(rows) + "\n---\n").fields) == len(rows)
    assert "64 KiB" in refusal("\n".join(rows * 2))


def test_the_limit_counts_bytes() -> None:
    assert split("---\na: " + "x" * 40_000 + "\n---\n").problem is None
    assert "64 KiB" in refusal("a: " + "é" * 40_000)


def test_a_block_that_never_closes_is_a_problem_only_where_it_holds_keys() -> None:
    assert "closing" in (split("---\ntitle: x\n\nBody\n").problem or "")
    assert split("---\n\nJust a rule: yes\n").problem is None


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab:-#[]{},\"'|>&*!<? \n\t\r.~é\x00"), max_size=60))
def test_no_block_raises_and_the_body_is_the_rest_of_the_text(block: str) -> None:
    text = f"---\n{block}\n---\nBody"
    found = split(text)
    assert text[: found.end_char].count("\n") == found.end_line
    assert text[found.end_char :].endswith("Body")
    for value in found.fields.values():
        assert isinstance(value, str) or all(isinstance(item, str) for item in value)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.text("abc xyz-é.", min_size=1, max_size=12).map(str.strip).filter(lambda s: s and s[0] not in "-."),
        min_size=1,
    )
)
def test_both_ways_to_write_a_list_give_the_same(items: list[str]) -> None:
    flow = split("---\nk: [" + ", ".join(items) + "]\n---\n")
    rows = split("---\nk:\n" + "".join(f"  - {item}\n" for item in items) + "---\n")
    assert flow.fields["k"] == rows.fields["k"] == tuple(items)
