from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.text.lines import estimate_tokens, utf16_units


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("日本", 2),
        ("한글", 2),
        ("ไทย", 3),
        ("émé", 2),
        ("дом", 2),
        ("カナab", 3),
    ],
)
def test_tokens_follow_the_weights_of_each_script(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_a_longer_text_never_costs_less_and_joining_never_costs_more(one: str, two: str) -> None:
    assert max(estimate_tokens(one), estimate_tokens(two)) <= estimate_tokens(one + two)
    assert estimate_tokens(one + two) <= estimate_tokens(one) + estimate_tokens(two)


@given(st.text(alphabet=st.characters()))
def test_utf16_units_count_as_javascript_does(text: str) -> None:
    assert utf16_units(text) == sum(2 if ord(letter) > 0xFFFF else 1 for letter in text)


def test_lone_surrogates_count_one_unit() -> None:
    assert utf16_units("a\udc80") == 2
    assert estimate_tokens("a\udc80") == 1
