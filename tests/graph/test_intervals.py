"""Facts end where a later one says so; held against a day-by-day reading of the same histories."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import SINGLE, Fact
from hearth.graph.relations import close, is_retold

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


def test_what_never_held_ends_nothing() -> None:
    old, new, never = close(
        [fact("x", "owned_by", "a", 1), fact("x", "owned_by", "b", 3, 3), fact("x", "owned_by", "c", 5, 2)]
    )
    assert (old.valid_to, new.valid_to, never.valid_to) == (None, 3, 2)


def test_what_moved_from_something_alone_has_left_it() -> None:
    moved = replace(fact("PostgreSQL", "replaced", "Redis", 5), within_key="queue")
    queue, other, _ = close([fact("queue", "uses", "Redis", 1), fact("api", "depends_on", "Redis", 1), moved])
    assert (queue.valid_to, other.valid_to) == (5, None)


def said(one: Fact, at: int) -> Fact:
    return replace(one, said_at=at)


def test_of_what_was_only_said_the_begin_is_unknown_where_something_said_later_ends_it_before() -> None:
    old, new = close([said(fact("x", "runs_on", "a", 7), 7), said(fact("x", "runs_on", "b", 3), 8)])
    assert [(one.valid_from, one.valid_to) for one in (old, new)] == [(None, 3), (3, None)]
    old, _ = close([said(fact("x", "runs_on", "a", 7), 7), said(fact("x", "runs_on", "a", None, 4), 8)])
    assert (old.valid_from, old.valid_to) == (None, 4)


def test_what_was_over_before_something_was_said_does_not_end_it() -> None:
    old, _ = close([said(fact("x", "runs_on", "a", 7), 7), said(fact("x", "runs_on", "b", 3, 5), 8)])
    assert (old.valid_from, old.valid_to) == (7, None)


def test_what_was_said_later_ends_what_began_before_though_it_began_at_an_unknown_time() -> None:
    old, new = close([said(fact("x", "runs_on", "a", 3), 7), said(fact("x", "runs_on", "b", 8), 8)])
    assert (old.valid_to, new.valid_from) == (8, 8)


Row = tuple[str, str, str, int, int | None]
histories = st.lists(
    st.tuples(
        st.sampled_from(["api", "web"]),
        st.sampled_from(["runs_on", "owned_by", "uses", "replaced", "moved"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, DAYS),
        st.none() | st.integers(0, DAYS),
    ),
    max_size=8,
)


def made(row: Row) -> Fact:
    """What moved from something says that it was replaced there."""
    subject, kind, target, since, until = row
    if kind != "moved":
        return fact(subject, kind, target, since, until)
    return replace(fact("new", "replaced", target, since, until), within_key=subject)


def held(rows: list[Row], row: Row, day: int) -> bool:
    """Day by day: whether a row that began still stands."""
    subject, kind, target, since, until = row
    standing = False
    for today in range(day + 1):
        standing = (standing or today == since) and today != until and (until is None or until > since)
        for other, ended_by, value, begins, ends in rows:
            if begins <= since or (ends is not None and ends <= begins):
                continue
            moved = kind == ended_by == "moved" and value == target
            same = moved or (other, ended_by, value) == (subject, kind, target)
            if today == ends and same:
                standing = False
            if today != begins:
                continue
            if kind == ended_by and kind in SINGLE and other == subject and value != target:
                standing = False
            gone = ended_by == "replaced" or (ended_by == "moved" and other == subject)
            if gone and value == target and kind not in ("replaced", "moved"):
                standing = False
    return standing


@given(histories, st.randoms())
def test_facts_hold_on_the_days_on_which_a_naive_reading_says_so(rows: list[Row], rng: random.Random) -> None:
    rng.shuffle(rows)
    found = close([made(row) for row in rows])
    for row, one in zip(rows, found, strict=True):
        assert [one.holds(day) for day in range(DAYS + 2)] == [held(rows, row, day) for day in range(DAYS + 2)]
