"""Facts end where a later one says so; held against a day-by-day reading of the same histories."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hearth.graph.intervals import close, is_retold
from hearth.model.fact import SINGLE, Fact

DAYS = 12


def fact(subject: str, predicate: str, target: str, since: int | None, until: int | None = None) -> Fact:
    keys = subject.casefold(), target.casefold()
    return Fact(subject, predicate, target, *keys, "d", "notes", "a.md", 1, "", 1.0, since, until)


def test_a_later_value_of_what_has_one_value_ends_the_older_one() -> None:
    old, new = close([fact("Staging", "runs_on", "Hetzner", 1), fact("Staging", "runs_on", "Fly", 5)])
    assert (old.valid_to, new.valid_to) == (5, None)
    assert old.holds(4) and not old.holds(5) and new.holds(5)


def test_what_is_replaced_is_used_no_longer() -> None:
    old, other, _ = close(
        [fact("we", "uses", "Redis", 1), fact("we", "uses", "Kafka", 1), fact("PostgreSQL", "replaced", "Redis", 5)]
    )
    assert (old.valid_to, other.valid_to) == (5, None)


def test_a_move_ends_where_it_ran_before() -> None:
    old, _ = close([fact("wiki", "runs_on", "Confluence", 1), fact("wiki", "migrated_to", "Notion", 3)])
    assert old.valid_to == 3


def test_an_end_that_is_said_later_ends_what_was_said_before() -> None:
    first, again = close([fact("x", "uses", "a", 1), fact("x", "uses", "a", 3, 5)])
    assert (first.valid_to, again.valid_to) == (5, 5)
    longer, shorter = close([fact("x", "uses", "a", 1, 9), fact("x", "uses", "a", 3, 5)])
    assert (longer.valid_to, shorter.valid_to) == (5, 5)


def test_what_is_said_again_is_news_where_it_had_ended_or_ends_another() -> None:
    first, other, again = (fact("x", "runs_on", value, since) for value, since in (("a", 1), ("b", 3), ("a", 5)))
    assert is_retold(replace(again, valid_from=2), first, [first, other, again])
    assert not is_retold(again, first, [first, other, again])
    moved, returned = fact("x", "migrated_to", "a", 1), fact("x", "migrated_to", "a", 5)
    assert not is_retold(returned, moved, [moved, other, returned])
    assert is_retold(returned, moved, [moved, returned])


def test_what_nothing_dates_ends_nothing_and_an_earlier_end_stays() -> None:
    first, second = close([fact("x", "runs_on", "a", None), fact("x", "runs_on", "b", 4, 6)])
    assert (first.valid_to, second.valid_to) == (None, 6)


histories = st.lists(
    st.tuples(
        st.sampled_from(["api", "web"]),
        st.sampled_from(["runs_on", "owned_by", "uses", "replaced"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, DAYS),
    ),
    max_size=8,
)


def held(rows: list[tuple[str, str, str, int]], row: tuple[str, str, str, int], day: int) -> bool:
    """Day by day: whether a row that began still stands."""
    subject, predicate, target, since = row
    standing = False
    for today in range(day + 1):
        if today == since:
            standing = True
        for other, kind, value, begins in rows:
            if begins != today or begins <= since:
                continue
            if kind == predicate and kind in SINGLE and other == subject and value != target:
                standing = False
            if kind == "replaced" and value == target and predicate != "replaced":
                standing = False
    return standing


@given(histories, st.randoms())
def test_facts_hold_on_the_days_on_which_a_naive_reading_says_so(
    rows: list[tuple[str, str, str, int]], rng: random.Random
) -> None:
    rng.shuffle(rows)
    found = close([fact(*row) for row in rows])
    for row, one in zip(rows, found, strict=True):
        assert [one.holds(day) for day in range(DAYS + 2)] == [held(rows, row, day) for day in range(DAYS + 2)]
