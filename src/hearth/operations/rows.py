"""The engine's values as JSON, with the same names everywhere; dates and pages of long lists."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from hearth.core import instants
from hearth.core.errors import Guidance, UsageError
from hearth.core.lazy import regex
from hearth.core.query import Hit
from hearth.core.session import Session, SessionDetail
from hearth.core.validity import Validity
from hearth.operations.arguments import Schema, text
from hearth.operations.problems import worded
from hearth.ports import Skipped, StoredDocument
from hearth.text.lines import cut_line

DATE = "YYYY-MM-DD or ISO 8601"


def instant(given: str | None, argument: str, zone: str, *, end: bool = False) -> int | None:
    """ms UTC. A date alone is a UTC day, of which ``end`` means the end; a time without offset is in ``zone``."""
    if given is None:
        return None
    found = instants.parse(given, zone, hour=24 if end else 0)
    if found is None:
        raise UsageError(f"{argument} {given!r} is not a date; write {DATE}")
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


def document(stored: StoredDocument, now: int) -> dict[str, Any]:
    """Without its text; instants are ms UTC."""
    state = stored.state
    validity = Validity.of(stored.document, state, now)
    kept = {"pinned": state.pinned, "snoozed_until": state.snoozed_until}
    return stored.document.to_dict() | kept | validity.to_dict()


# Characters of a snippet in a brief row: with so many, answers about notes cost a fifth of whole ones.
SNIPPET_CHARS = 60


_STANDING = ("trust", "author", "hidden", "superseded_by", "valid_from", "valid_to", "doubts", "later")


def passage(hit: Hit, *, brief: bool, full: bool) -> dict[str, Any]:
    """A passage found; ``brief`` holds what tells whether to read it, and where: a fifth of a whole one. Either says
    where it does not hold any more, or is in doubt."""
    row = hit.to_dict(full=full)
    if not brief:
        return row
    kept = {name: row[name] for name in ("docid", "path", "title", *_STANDING) if row.get(name) is not None}
    return kept | {"score": round(hit.score, 2), "snippet": briefly(hit)[1]}


def outline_line(hit: Hit) -> dict[str, Any]:
    """A line of an outline."""
    return {
        "docid": hit.docid,
        "collection": hit.collection,
        "path": hit.path,
        "line": hit.start_line,
        "authored_at": hit.authored_at,
        "snippet": hit.snippet,
    }


def briefly(hit: Hit) -> tuple[int, str]:
    """The line that says most, with its number, and what follows it on one line, cut between words."""
    at, text = hit.briefly()
    return at, cut_line(" ".join(text.split()), SNIPPET_CHARS)


def session(found: Session | SessionDetail) -> dict[str, Any]:
    """Without where a transcript lies on this machine."""
    return {name: value for name, value in found.to_dict().items() if name not in ("transcript", "watermark")}


def skipped(file: Skipped) -> dict[str, str]:
    return {"collection": file.collection, "path": file.path, "reason": file.reason}


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
