"""Instants as people give and read them on the command line; inside, all are ms UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hearth.errors import UsageError

DAY_MS = 86_400_000
_AGO = re.compile(r"(\d{1,6})([hdwy])")
_SPANS = {"h": DAY_MS // 24, "d": DAY_MS, "w": 7 * DAY_MS, "y": 365 * DAY_MS}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse(text: str, option: str, now: int, zone: str, *, end: bool = False) -> int:
    """``YYYY-MM-DD`` (a UTC day, as ``before:`` and ``after:`` read it; ``end``: that day included), ``7d`` for that
    long ago (h, d, w, y), or an ISO instant, in ``zone`` where it names none. Raises ``UsageError``."""
    text = text.strip()
    if ago := _AGO.fullmatch(text):
        return max(0, now - int(ago[1]) * _SPANS[ago[2]])
    try:
        moment = datetime.fromisoformat(text)
        if _DATE.fullmatch(text):
            return _ms(moment.replace(tzinfo=UTC)) + (DAY_MS if end else 0)
        if moment.tzinfo is None:
            from zoneinfo import ZoneInfo

            moment = moment.replace(tzinfo=ZoneInfo(zone))
        return _ms(moment)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{option} {text!r} is no date; write YYYY-MM-DD, 7d, 2w or an instant as 2026-03-05T14:00+01:00"
        ) from None


def _ms(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def date(instant: int) -> str:
    """The UTC date."""
    return _shown(instant).strftime("%Y-%m-%d")


def date_or_none(instant: int | None) -> str:
    """The UTC date."""
    return "undated" if instant is None else date(instant)


def stamp(instant: int) -> str:
    """Date and time in UTC to the second, as ISO 8601."""
    return _shown(instant).strftime("%Y-%m-%dT%H:%M:%SZ")


def _shown(instant: int) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=instant)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
