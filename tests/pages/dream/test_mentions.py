"""What happened again is told from what happened once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.pages.dream.themes import Mention, find_newest, find_recurring


def mention(text: str, *days: str, name: str = "a") -> Mention:
    return Mention((name, text), text, "notes/x.md", 1, frozenset(days), tuple(text.lower().strip(".").split()))


def test_two_accounts_of_one_thing_on_two_days_recur() -> None:
    first = mention("importer crashed empty file", "2026-01-01")
    again = mention("importer crashed again empty file yesterday", "2026-01-03")
    other = mention("kiln thermostat drifted", "2026-01-02")
    [found] = find_recurring([again, other, first])
    assert (found.last, found.days) == (again, ["2026-01-01", "2026-01-03"])


def test_what_is_told_twice_on_one_day_does_not_recur() -> None:
    assert find_recurring([mention("importer crashed", "2026-01-01", name=name) for name in "ab"]) == []


def test_one_shared_word_makes_no_recurrence() -> None:
    assert find_recurring([mention("importer crashed", "2026-01-01"), mention("importer deleted", "2026-01-02")]) == []


def test_a_statement_comes_once_and_the_newest_comes_first() -> None:
    old, new = mention("the kiln is broken", "2026-01-01"), mention("the kiln is broken", "2026-01-05", name="b")
    last = mention("the oven is fine", "2026-01-07")
    assert find_newest([old, last, new], 10) == [last, new]
    assert find_newest([old, last, new], 1) == [last]


@given(
    st.permutations([mention(f"kiln {word} drifted", f"2026-01-0{at}", name=word) for at, word in enumerate("pqrs", 1)])
)
def test_the_order_in_which_mentions_come_does_not_matter(order: list[Mention]) -> None:
    assert find_recurring(order) == find_recurring(sorted(order, key=lambda one: one.key))
