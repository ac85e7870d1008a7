"""How old a note is said to be."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hearth.context.packing import Now, age


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("then", "now", "zone", "expected"),
    [
        ("2026-11-21T12:00", "2026-11-22T00:30", "UTC", "1 day ago"),
        ("2026-11-21T12:00", "2026-11-22T11:59", "UTC", "1 day ago"),
        ("2026-11-22T12:00", "2026-11-22T00:30", "UTC", "today"),
        # Half past eleven in the evening there.
        ("2026-11-21T12:00", "2026-11-21T22:30", "Europe/Berlin", "today"),
        ("2026-11-21T12:00", "2026-11-21T23:30", "Europe/Berlin", "1 day ago"),
        ("2026-11-21T12:00", "2026-11-22T03:00", "America/New_York", "today"),
        ("2026-11-21T23:30", "2026-11-22T08:00", "Europe/Berlin", "today"),
        ("2026-11-21T22:30", "2026-11-22T08:00", "Europe/Berlin", "1 day ago"),
        ("2026-11-15T12:00", "2026-11-22T08:00", "UTC", "1 week ago"),
        ("2025-11-22T12:00", "2026-11-22T08:00", "UTC", "1 year ago"),
        ("2026-11-23T12:00", "2026-11-22T08:00", "UTC", "today"),
        ("2026-12-23T12:00", "2026-11-22T08:00", "UTC", "later"),
    ],
)
def test_ages_are_counted_in_local_days(then: str, now: str, zone: str, expected: str) -> None:
    assert age(ms(then), Now(ms(now), zone)) == expected


def test_what_is_undated_has_no_age() -> None:
    assert age(None, Now(0)) == ""


def test_no_instant_is_too_far_away() -> None:
    assert age(-(2**62), Now(0)).endswith("years ago")
    assert age(2**62, Now(0)) == "later"
