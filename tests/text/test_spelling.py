from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.text.related_words import is_slip, respell

FORMS = [
    ("colour", "color"),
    ("favourites", "favorites"),
    ("organise", "organize"),
    ("synchronising", "synchronizing"),
    ("analyse", "analyze"),
    ("centre", "center"),
    ("catalogue", "catalog"),
    ("cancelled", "canceled"),
    ("licence", "license"),
]


@pytest.mark.parametrize(("british", "american"), FORMS)
def test_british_and_american_forms_lead_to_each_other(british: str, american: str) -> None:
    assert american in respell(british)
    assert british in respell(american)


@pytest.mark.parametrize(
    ("written", "meant", "slip"),
    [
        ("recieve", "receive", True),
        ("databse", "database", True),
        ("kuberntes", "kubernetes", True),
        ("kubernettis", "kubernetes", True),
        ("meetng", "meeting", True),
        ("meeting", "melting", True),
        ("cat", "car", False),
        ("invoice", "voyage", False),
        ("same", "same", False),
    ],
)
def test_slips_are_few_letters_away(written: str, meant: str, slip: bool) -> None:
    assert is_slip(written, meant) is slip


@given(st.text("abcde", max_size=12), st.text("abcde", max_size=12))
def test_slips_go_both_ways(one: str, other: str) -> None:
    assert is_slip(one, other) == is_slip(other, one)


@given(st.text("abcdefg", min_size=5, max_size=20), st.integers(0, 19))
def test_one_letter_too_many_is_a_slip(word: str, at: int) -> None:
    assert is_slip(word[:at] + "z" + word[at:], word)
