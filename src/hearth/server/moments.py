"""Moments as people and programs write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hearth.errors import UsageError

DAY_MS = 86_400_000
DATE = "YYYY-MM-DD or ISO 8601"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(given: str | None, argument: str, zone: str, *, end: bool = False) -> int | None:
    """ms UTC. A date alone is a UTC day, of which ``end`` means the end; a time without offset is in ``zone``."""
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given.strip())
        if len(given.strip()) == len("YYYY-MM-DD"):
            moment = moment.replace(tzinfo=UTC) + timedelta(days=1 if end else 0)
        elif moment.tzinfo is None:
            from zoneinfo import ZoneInfo

            moment = moment.replace(tzinfo=ZoneInfo(zone))
        return (moment - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        raise UsageError(f"{argument} {given!r} is no date; write {DATE}") from None
