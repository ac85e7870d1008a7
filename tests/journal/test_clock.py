from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.journal.line import COUNTER_BITS, CROCKFORD, SKEW_MS, Clock, UlidSource

NOW = 1_700_000_000_000


@given(st.lists(st.integers(0, NOW), min_size=1, max_size=50))
def test_stamps_only_grow_whatever_the_wall_clock_does(walls: list[int]) -> None:
    times = iter(walls)
    clock = Clock(lambda: next(times))
    stamps = [clock.tick() for _ in walls]
    assert stamps == sorted(set(stamps))


def test_a_stamp_says_when_in_milliseconds() -> None:
    assert Clock(lambda: NOW).tick() >> COUNTER_BITS == NOW


def test_our_stamps_exceed_those_observed() -> None:
    clock = Clock(lambda: NOW)
    foreign = (NOW + SKEW_MS) << COUNTER_BITS
    clock.observe(1, foreign, 2)
    assert clock.tick() == foreign + 1


def test_a_foreign_stamp_far_ahead_does_not_advance_ours() -> None:
    clock = Clock(lambda: NOW)
    clock.observe(((NOW + SKEW_MS) << COUNTER_BITS) + 1)
    assert clock.tick() >> COUNTER_BITS == NOW


def test_our_own_stamps_are_resumed_however_far_ahead() -> None:
    clock = Clock(lambda: NOW)
    clock.resume((NOW * 2) << COUNTER_BITS)
    assert clock.tick() == ((NOW * 2) << COUNTER_BITS) + 1


def test_observing_nothing_changes_nothing() -> None:
    clock = Clock(lambda: NOW)
    clock.observe()
    assert clock.tick() == NOW << COUNTER_BITS


@given(st.lists(st.integers(0, 2**47), min_size=2, max_size=50))
def test_ulids_grow_even_when_the_wall_clock_goes_back(walls: list[int]) -> None:
    times = iter(walls)
    source = UlidSource(lambda: next(times))
    ulids = [source() for _ in walls]
    assert ulids == sorted(set(ulids))
    assert all(len(ulid) == 26 and set(ulid) <= set(CROCKFORD) for ulid in ulids)


def test_a_ulid_spells_time_then_randomness() -> None:
    # 01ARZ3NDEKTSV4RRFFQ69G5FAV is the example of the ULID specification.
    random = 0xD676_4C61_EFB9_9302_BD5B.to_bytes(10, "big")
    assert UlidSource(lambda: 1469922850259, lambda count: random)() == "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def test_a_full_random_part_runs_over_into_the_time() -> None:
    source = UlidSource(lambda: 5, lambda count: b"\xff" * count)
    first, second = source(), source()
    assert first < second
