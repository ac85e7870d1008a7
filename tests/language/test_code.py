"""Paths and names in code are told from words, links and blocks of code."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.entity_words import find_code, is_code_name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Set `retry_count` in src/app/main.py, then retryCount.", ["retry_count", "src/app/main.py", "retryCount"]),
        ("See ./docs/graph.md and ../a/b.tar.gz.", ["./docs/graph.md", "../a/b.tar.gz"]),
        ("and/or, 24/7, iPhone, _emphasis_ and __bold__ text, e.g. this", []),
        ("[that](src/app/main.py) [[notes/a.md]] https://x.org/a/b_c.html mail_me@example.org", []),
        ("```\nfoo_bar = 1\n```", []),
    ],
)
def test_what_prose_mentions_of_code_is_found(text: str, names: list[str]) -> None:
    assert list(find_code(text)) == names


def test_a_name_in_code_is_one_by_itself() -> None:
    assert [is_code_name(one) for one in ("retry_count", "src/a.py", "Ines Aldana", "Kiln", "#tag_one")] == [
        True, True, False, False, False,
    ]  # fmt: skip


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert all(find_code(text))


@pytest.mark.parametrize("odd", ["a/", "a_", "aB", "a.", "/", "_", "[[", "](", "a-b/"])
def test_a_long_text_costs_what_its_length_does(odd: str) -> None:
    started = time.process_time()
    list(find_code(odd * 50_000))
    assert time.process_time() - started < 2
