"""Moments as people and programs write them."""

from __future__ import annotations

from hearth.errors import UsageError
from hearth.model import instants

DATE = "YYYY-MM-DD or ISO 8601"


def instant(given: str | None, argument: str, zone: str, *, end: bool = False) -> int | None:
    """ms UTC. A date alone is a UTC day, of which ``end`` means the end; a time without offset is in ``zone``."""
    if given is None:
        return None
    found = instants.parse(given, zone, hour=24 if end else 0)
    if found is None:
        raise UsageError(f"{argument} {given!r} is no date; write {DATE}")
    return found
