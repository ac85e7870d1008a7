"""Dates as people write them in frontmatter and file names, to milliseconds UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$", re.IGNORECASE)
_NAMED = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)")
_NOON = "T12:00:00+00:00"


def instant(text: str) -> int | None:
    """An ISO 8601 date or instant; a date alone means 12:00 UTC, no zone means UTC. ``None`` if it is neither."""
    text = text.strip()
    if not _INSTANT.match(text):
        return None
    return _parsed(text + _NOON if len(text) == 10 else text)


def day(text: str) -> int | None:
    """12:00 UTC of the date that an ISO date or instant names."""
    return None if instant(text) is None else _parsed(text.strip()[:10] + _NOON)


def of_name(name: str) -> int | None:
    """12:00 UTC of the date that a file name starts with."""
    found = _NAMED.match(name)
    return _parsed(found[1] + _NOON) if found else None


def _parsed(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
