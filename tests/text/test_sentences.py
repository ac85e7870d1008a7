from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hearth.text.lines import END, split_sentences


def test_a_sentence_ends_at_its_mark_or_with_its_line() -> None:
    assert split_sentences("It works. Really?\n\nYes … “So be it.” Then go!") == [
        "It works.",
        "Really?",
        "Yes …",
        "“So be it.”",
        "Then go!",
    ]


def test_a_script_without_spaces_needs_none() -> None:
    assert split_sentences("今天下雨。明天呢？") == ["今天下雨。", "明天呢？"]


def test_a_mark_within_a_number_or_name_ends_nothing() -> None:
    assert split_sentences("Use 3.11 of example.org, not v2.0.") == ["Use 3.11 of example.org, not v2.0."]


@given(st.text(max_size=200))
def test_nothing_but_space_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@given(st.text(alphabet='aé.!…"”) \n\t\r\u3000\x1f。', max_size=40))
def test_texts_in_any_script_end_where_a_paragraph_and_a_line_end(text: str) -> None:
    assert split_sentences(text) == [part for part in re.split(rf"{END.pattern}|\n+", text) if part.strip()]
