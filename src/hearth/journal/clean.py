"""What may enter a journal: known kinds and small plain JSON without secrets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from hearth.errors import UsageError
from hearth.lazy import regex
from hearth.model.journal.event import NOTE_KINDS, STATE_KINDS, USAGE_KINDS, Draft

REASON_LENGTH = 200
MAX_DEPTH = 16
PLAIN = regex(r"[0-9a-z-]{0,20}|[0-9a-f]{32}")
"""Docids, days and digests: no rule finds a secret in so little, and looking would load all of them for each search."""


def clean(draft: Draft, redact: Callable[[str], str]) -> Draft:
    """The draft with ``redact`` applied to every string value of its data and reasons cut at 200 characters.

    Raises ``UsageError`` for an unknown kind or for data that is not JSON.
    """
    if draft.kind not in STATE_KINDS | USAGE_KINDS | NOTE_KINDS:
        raise UsageError(f"can't journal an event of the unknown kind {draft.kind!r}; update Hearth")
    data = _object(draft.data, redact, draft.kind, 0)
    return Draft(draft.kind, draft.doc, draft.path, draft.body_hash, data)


def _object(data: Mapping[str, Any], redact: Callable[[str], str], kind: str, depth: int) -> dict[str, Any]:
    result = {}
    for key, value in data.items():
        if not isinstance(key, str):
            raise UsageError(f"can't journal {kind}: the key {key!r} is not text")
        item = _value(value, redact, kind, depth + 1)
        result[str(key)] = item[:REASON_LENGTH] if key == "reason" and isinstance(item, str) else item
    return result


def _value(value: Any, redact: Callable[[str], str], kind: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise UsageError(f"can't journal {kind}: its data is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else redact(value)
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, Mapping):
        return _object(value, redact, kind, depth)
    if isinstance(value, list | tuple):
        return [_value(item, redact, kind, depth + 1) for item in value]
    raise UsageError(f"can't journal {kind}: {type(value).__name__} {value!r} is not JSON")
