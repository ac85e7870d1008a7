"""Pages of a long list: a cursor names the last thing that was given, so that what comes or goes meanwhile shifts
nothing."""

from __future__ import annotations

import base64
import json

from hearth.errors import UsageError
from hearth.server.operations.arguments import Schema, text

CURSOR = text("Where to go on: next of the page before.", 8_192)
NEXT: Schema = {"type": ["string", "null"], "description": "The cursor of the next page; null on the last."}
Key = tuple[str | int, ...]


def cursor(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(key)).encode("ascii")).decode("ascii").rstrip("=")


def key(given: str | None, *kinds: type) -> Key | None:
    """What a cursor names. Raises ``UsageError`` for one that was not given out."""
    if given is None:
        return None
    try:
        found = json.loads(base64.urlsafe_b64decode(given.encode("ascii") + b"=" * (-len(given) % 4)))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or [type(part) for part in found] != list(kinds):
        raise UsageError("cursor is none that was given out; begin without one")
    return tuple(found)
