"""Instants, whole milliseconds UTC: read from what people and programs write, and written for them. Pure.

A date alone names no instant. In notes it stands at 12:00 UTC, so that it is the same date nearly everywhere on earth;
as the border of a search it is a UTC day, from its first hour to its last.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from hearth.core.lazy import regex

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
NOON = 12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_DATE = regex(r"\d{4}-\d{2}-\d{2}")
_NAMED = regex(r"(\d{4}-\d{2}-\d{2})(?!\d)")
_WRITTEN = regex(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$", re.IGNORECASE)
_LONGEST_DATE = 10


def parse(text: str, zone: str = "UTC", *, hour: int = 0) -> int | None:
    """ISO 8601; ``None`` for anything else. A time without an offset is in ``zone``; of a date alone, a UTC day, it is
    the hour ``hour`` (24 for the day's end)."""
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= _LONGEST_DATE:
            return of(moment.replace(tzinfo=UTC)) + hour * HOUR_MS
        return of(moment if moment.tzinfo is not None else moment.replace(tzinfo=zone_of(zone)))
    except (ValueError, OverflowError):
        return None


def parse_written(text: str) -> int | None:
    """A date or instant as people write them in frontmatter: with hyphens and colons, a date alone at noon."""
    text = text.strip()
    return parse(text, hour=NOON) if _WRITTEN.match(text) else None


def parse_day(text: str) -> int | None:
    """12:00 UTC of the date that such a date or instant names."""
    return None if parse_written(text) is None else parse(text.strip()[:_LONGEST_DATE], hour=NOON)


def parse_name(name: str) -> int | None:
    """12:00 UTC of the date that a file's name starts with."""
    found = _NAMED.match(name)
    return parse(found[1], hour=NOON) if found else None


def is_date(text: str) -> bool:
    """Whether a text looks like YYYY-MM-DD."""
    return _DATE.fullmatch(text) is not None


def noon(day: date) -> int:
    """12:00 UTC of a date, where it stands in notes."""
    return of(datetime(day.year, day.month, day.day, NOON, tzinfo=UTC))


def is_date_only(instant: int) -> bool:
    """Whether it is the noon that stands for a day of which no time is known."""
    return instant % DAY_MS == DAY_MS // 2


def of(moment: datetime) -> int:
    """The instant of a moment that knows its zone; what is below a millisecond is truncated."""
    return (moment - _EPOCH) // _MS


def moment(instant: int, zone: tzinfo = UTC) -> datetime:
    """Date and time in a zone; the first or last there is for an instant beyond it."""
    try:
        return (_EPOCH + timedelta(milliseconds=instant)).astimezone(zone)
    except OverflowError:
        return (datetime.max if instant > 0 else datetime.min).replace(tzinfo=zone)


def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name. Raises ``ZoneInfoNotFoundError`` or ``ValueError`` where there is none."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # most runs never ask for a zone

    return ZoneInfo(name)


def show_date(instant: int, zone: tzinfo = UTC) -> str:
    """YYYY-MM-DD."""
    return moment(instant, zone).date().isoformat()


def show_date_or_none(instant: int | None) -> str:
    """The UTC date, or that there is none."""
    return "undated" if instant is None else show_date(instant)


def show(instant: int) -> str:
    """ISO 8601 in UTC, to the second."""
    return _iso(instant, "seconds")


def show_exactly(instant: int) -> str:
    """ISO 8601 in UTC; milliseconds only where there are some."""
    return _iso(instant, "milliseconds" if instant % 1000 else "seconds")


def _iso(instant: int, precision: str) -> str:
    return moment(instant).replace(tzinfo=None).isoformat(timespec=precision) + "Z"
