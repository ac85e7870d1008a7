"""Names that differ by a slip of the hand are found, whatever stands beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.name_matching import count_edits, find_nearly


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("crestmoor", "crestmor", True),
        ("crestmoor", "crestomor", True),
        ("harbourpottery", "harborpotery", True),
        ("harbourpottery", "arborpotery", False),
        ("acme", "acne", False),
        ("kiln12", "kiln13", False),
        ("release12", "relaese12", True),
        ("postgres", "postgrest", True),
        ("northgate", "southgate", False),
    ],
)
def test_one_edit_from_six_letters_and_two_from_ten(one: str, other: str, near: bool) -> None:
    assert list(find_nearly([one, "something", other])) == ([(one, other)] if near else [])


NAMES = st.lists(st.text("abc1", min_size=4, max_size=12), max_size=12, unique=True)


@given(NAMES)
def test_what_is_found_is_what_comparing_all_finds(names: list[str]) -> None:
    def allowed(one: str, other: str) -> int:
        short = min(len(one), len(other))
        return 2 if short >= 10 else int(short >= 6)

    digits = {name: "".join(c if c.isdigit() else " " for c in name).split() for name in names}
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    wanted = [
        (one, other)
        for one, other in pairs
        if (most := allowed(one, other)) and digits[one] == digits[other] and count_edits(one, other, most) <= most
    ]
    assert list(find_nearly(names)) == wanted


@given(st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_edits_are_the_same_either_way_and_none_for_the_same(one: str, other: str) -> None:
    assert count_edits(one, other, 9) == count_edits(other, one, 9)
    assert count_edits(one, one, 2) == 0
