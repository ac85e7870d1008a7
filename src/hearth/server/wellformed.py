"""Values as JSON in UTF-8 can hold them, in the words of a surface: file names may have bytes that are no text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.errors import Guidance
from hearth.lazy import regex
from hearth.server.remedies import worded

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
