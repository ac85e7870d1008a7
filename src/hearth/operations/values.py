"""Instants as clients write them, and values that JSON in UTF-8 can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.core import instants
from hearth.core.errors import Guidance, UsageError
from hearth.core.lazy import regex
from hearth.operations.problems import worded

DATE = "YYYY-MM-DD or ISO 8601"


def instant(given: str | None, argument: str, zone: str, *, end: bool = False) -> int | None:
    """ms UTC. A date alone is a UTC day, of which ``end`` means the end; a time without offset is in ``zone``."""
    if given is None:
        return None
    found = instants.parse(given, zone, hour=24 if end else 0)
    if found is None:
        raise UsageError(f"{argument} {given!r} is no date; write {DATE}")
    return found


_SURROGATES = regex("[\ud800-\udfff]")


def valid(value: Any, *, nulls: bool = True, surface: str | None = None) -> Any:
    """The same with every text fit for JSON; without ``nulls``, mappings leave out what is ``None``."""
    if isinstance(value, str):
        if surface is not None and isinstance(value, Guidance):
            value = worded(value, surface)
        return _SURROGATES.sub("\ufffd", value) if _SURROGATES.search(value) else value
    if isinstance(value, Mapping):
        kept = ((key, item) for key, item in value.items() if nulls or item is not None)
        return {valid(key): valid(item, nulls=nulls, surface=surface) for key, item in kept}
    if isinstance(value, list | tuple):
        return [valid(item, nulls=nulls, surface=surface) for item in value]
    return value
