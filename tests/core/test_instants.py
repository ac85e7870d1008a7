"""Instants: what people and programs write, in whole milliseconds UTC, and back."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hearth
from hearth.core import instants

NOON = 1_772_712_000_000  # 2026-03-05T12:00:00Z
LAST = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z


@given(st.integers(-62_135_596_800_000, LAST))
def test_what_is_shown_exactly_is_read_back(instant: int) -> None:
    assert instants.parse(instants.show_exactly(instant)) == instant
    assert instants.parse(instants.show(instant)) == instant // 1000 * 1000
    assert instants.parse_day(instants.show(instant)) == instants.parse_name(instants.show_date(instant))


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-05T12:00:00Z",
        "2026-03-05T12:00:00.000999Z",
        " 2026-03-05 14:00+02:00 ",
        "2026-03-05t12:00",
        "20260305T1200Z",
    ],
)
def test_an_instant_in_any_form_of_iso_8601_is_read(text: str) -> None:
    assert instants.parse(text) == NOON


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "0000-00-00", "9999-12-31T99:00", "12:00", "\ud800"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert instants.parse(text) is None
    assert instants.parse_written(text) is None
    assert instants.parse_day(text) is None


def test_a_time_without_an_offset_is_in_the_zone_and_a_date_alone_is_a_day_in_utc() -> None:
    assert instants.parse("2026-03-05T13:00", "Europe/Berlin") == NOON
    assert instants.parse("2026-03-05", "Europe/Berlin") == NOON - 12 * instants.HOUR_MS
    assert instants.parse("2026-03-05", "Europe/Berlin", hour=24) == NOON + 12 * instants.HOUR_MS
    assert instants.parse("20260305", "Europe/Berlin") == instants.parse("2026-03-05")


def test_a_date_alone_in_a_note_or_its_name_stands_at_noon() -> None:
    assert instants.parse_written("2026-03-05") == NOON
    assert instants.parse_day("2026-03-05T23:30:00+02:00") == NOON
    assert instants.parse_name("2026-03-05-retro.md") == NOON
    assert instants.noon(date(2026, 3, 5)) == NOON


@pytest.mark.parametrize("text", ["20260305", "2026-W10-4", "2026-03-05T12", "2026-03"])
def test_a_number_or_a_week_in_a_note_is_no_date(text: str) -> None:
    assert instants.parse_written(text) is None


@pytest.mark.parametrize("name", ["2026-03-051.md", "2026-13-05.md", "notes-2026-03-05.md", "٢٠٢٦-٠٣-٠٥.md"])
def test_a_name_that_starts_with_no_date_has_none(name: str) -> None:
    assert instants.parse_name(name) is None


def test_instants_beyond_the_calendar_are_shown_as_its_last() -> None:
    assert instants.show_date(10**18) == "9999-12-31"
    assert instants.show_date(LAST, instants.zone_of("Pacific/Kiritimati")) == "9999-12-31"


def test_the_length_of_a_day_and_the_reading_of_instants_stand_in_one_place() -> None:
    source = Path(hearth.__file__).parent
    told = {
        str(file.relative_to(source))
        for file in source.rglob("*.py")
        if any(word in file.read_text("utf-8") for word in ("datetime.fromisoformat", "86_400_000", "strptime("))
    }
    assert told == {"core/instants.py"}
