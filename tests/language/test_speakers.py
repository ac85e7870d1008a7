"""Whoever begins two lines with a colon speaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.entity_words import find_speakers


@pytest.mark.parametrize(
    ("texts", "language", "speakers"),
    [
        (["**Alice:** hello\nTom: hi", "Tom: yes\n**Alice**: no"], "en", [["Alice", "Tom"], ["Tom", "Alice"]]),
        (["Alice: hello\nBob Ott: once"], "en", [[]]),
        (["Note: a\nNote: b\nUser: c\nUser: d\nTODO: e\nTODO: f"], "en", [[]]),
        (["Hinweis: a\nHinweis: b"], "de", [[]]),
        (["Wiebke: a\nOnno: b\nWiebke: c\nOnno: d"], "de", [["Wiebke", "Onno"]]),
        (["Alice:hello\nAlice:no\nhttp://Alice: no"], "en", [[]]),
    ],
)
def test_who_speaks_twice_is_a_speaker_and_labels_are_none(
    texts: list[str], language: str, speakers: list[list[str]]
) -> None:
    assert find_speakers(texts, language) == speakers


@given(st.lists(st.text(max_size=100), max_size=4))
def test_any_text_is_read(texts: list[str]) -> None:
    assert len(find_speakers(texts, "en")) == len(texts)
