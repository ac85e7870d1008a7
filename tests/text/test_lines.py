from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.text.lines import cut_line, without_code


def test_a_line_is_cut_between_words_and_a_long_word_inside() -> None:
    assert cut_line("plums, figs, and pears", 16) == "plums, figs…"
    assert cut_line("a" * 30, 10) == "a" * 9 + "…"
    assert cut_line("plums and figs", 14) == "plums and figs"


@given(st.text(max_size=80), st.integers(4, 60))
def test_a_line_is_never_longer_than_asked_for(line: str, most: int) -> None:
    assert len(cut_line(line, most)) <= most


def test_fenced_blocks_go_and_one_that_never_closes_takes_the_rest() -> None:
    assert without_code("a\n```py\nb\n```\nc") == "a\n\n\nc"
    assert without_code("a\n~~~\nb") == "a\n\n"
