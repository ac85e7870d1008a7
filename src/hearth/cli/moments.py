"""Instants as people give them on the command line; inside, all are ms UTC."""

from __future__ import annotations

from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.core.instants import DAY_MS, HOUR_MS
from hearth.core.lazy import regex

_AGO = regex(r"(\d{1,6})([hdwy])")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SPANS = {"h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS, "y": 365 * DAY_MS}


def parse(text: str, option: str, now: int, zone: str, *, end: bool = False) -> int:
    """``YYYY-MM-DD`` (a UTC day, as ``before:`` and ``after:`` read it; ``end``: that day included), ``yesterday``,
    ``today`` or ``tomorrow`` of ``zone``, ``7d`` for that long ago (h, d, w, y), or an ISO instant, in ``zone`` where
    it names none. Raises ``UsageError``."""
    text = text.strip()
    if ago := _AGO.fullmatch(text):
        return max(0, now - int(ago[1]) * _SPANS[ago[2]])
    if (days := _DAYS.get(text.lower())) is not None:
        text = instants.show_date(now + days * DAY_MS, instants.zone_of(zone))
    found = instants.parse(text, zone, hour=24 if end else 0)
    if found is None:
        raise UsageError(
            f"{option} {text!r} is no date; write YYYY-MM-DD, today, 7d, 2w or an instant as 2026-03-05T14:00+01:00"
        )
    return found
