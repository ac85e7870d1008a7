"""Documents: read one, list many, those written around one."""

from __future__ import annotations

import fnmatch
from typing import Any

from hearth.engine.state.purged import is_purged
from hearth.errors import HearthError, UsageError
from hearth.ports import StoredDocument
from hearth.server.remedies import REST, worded
from hearth.server.rest import rows
from hearth.server.rest.pages import CURSOR, NEXT, cursor, key
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.shapes import REMARKS, listed, obj, ref
from hearth.server.schema import flag, text, whole

_MOST_TEXT = 2_000_000


def _get(asked: Asked) -> dict[str, Any]:
    passage = asked.vault.get(asked["docid"])
    docid = passage.document.docid
    asked.afterwards(lambda vault: vault.usage.opened(docid))
    lines = passage.text.split("\n")
    first = asked["from_line"] or passage.start_line
    if not passage.start_line <= first <= max(passage.end_line, 1):
        raise UsageError(f"from_line is {first}; this holds lines {passage.start_line} to {passage.end_line}")
    chosen = lines[first - passage.start_line :][: asked["max_lines"]]
    last = first + len(chosen) - 1
    with asked.vault.store.read() as reader:
        stored = reader.document(passage.document.docid)
    row = passage.document.to_dict() if stored is None else rows.document(stored)
    return row | {
        "start_line": first,
        "end_line": last,
        "total_lines": passage.total_lines,
        "text": "\n".join(chosen),
        "next_line": last + 1 if last < passage.end_line else None,
    }


def _list(asked: Asked) -> dict[str, Any]:
    """By collection and path. With texts a page ends early where they get long."""
    after = key(asked["cursor"], str, str) or ("", "")
    with asked.vault.store.read() as reader:
        known = reader.docids()
    names = sorted((place, docid) for docid, place in known.items() if place > after and _fits(place, asked["pattern"]))
    found: list[dict[str, Any]] = []
    skipped: list[dict[str, Any]] = []
    room, last, more = _MOST_TEXT, after, False
    for place, docid in names:
        if len(found) + len(skipped) >= asked["limit"] or room <= 0:
            more = True
            break
        last = place
        with asked.vault.store.read() as reader:
            stored = reader.document(docid)
        if stored is None or stored.state.hidden or stored.vanished or is_purged(stored.document):
            continue
        room -= _put(asked, stored, found, skipped)
    return {"documents": found, "skipped": skipped, "next": cursor(last) if more else None}


def _put(asked: Asked, stored: StoredDocument, found: list[dict[str, Any]], skipped: list[dict[str, Any]]) -> int:
    """Adds a document to one of the lists; the characters of its text, where that was asked for."""
    row = rows.document(stored)
    if not asked["full"]:
        found.append(row)
        return 0
    place = {"collection": stored.document.collection, "path": stored.document.path}
    if stored.document.size > asked["max_bytes"]:
        reason = f"{stored.document.size} bytes is over max_bytes {asked['max_bytes']}"
        skipped.append(place | {"reason": reason})
        return 0
    try:
        passage = asked.vault.read(stored)
    except HearthError as error:
        skipped.append(place | {"reason": worded(str(error), REST)})
        return 0
    found.append(row | {"text": passage.text})
    return len(passage.text)


def _fits(place: tuple[str, str], pattern: str | None) -> bool:
    if pattern is None:
        return True
    return fnmatch.fnmatchcase("/".join(place), pattern) or fnmatch.fnmatchcase(place[1], pattern)


def _timeline(asked: Asked) -> dict[str, Any]:
    options = asked.given("before", "after", "same_collection")
    moments = asked.vault.timeline(asked["docid"], **options)
    return {
        "documents": [rows.document(m.stored) | {"focus": m.focus, "session": m.session} for m in moments],
    }


ROUTES = (
    Route(
        "document",
        "GET",
        "/documents/{docid}",
        "A document with its text, as its file is now.",
        _get,
        ref("Passage"),
        query={
            "from_line": whole("First line.", 1, 10_000_000),
            "max_lines": whole("At most so many lines.", 1, 1_000_000, 100_000),
        },
        reads=True,
    ),
    Route(
        "documents",
        "GET",
        "/documents",
        "Documents by collection and path, page by page.",
        _list,
        obj(
            {
                "documents": listed(ref("Document")),
                "skipped": listed(ref("Skipped"), "Texts left out, and why."),
                "next": NEXT,
            },
            REMARKS,
        ),
        query={
            "pattern": text("A glob over collection/path.", longest=4_096),
            "full": flag("With their texts.", default=False),
            "max_bytes": whole("With full: leave out larger files.", 1, 5_000_000, 65_536),
            "limit": whole("Documents on a page.", 1, 500, 50),
            "cursor": CURSOR,
        },
        reads=True,
    ),
    Route(
        "timeline",
        "GET",
        "/timeline/{docid}",
        "What was written around a document, oldest first.",
        _timeline,
        obj({"documents": listed(ref("Document"))}, REMARKS),
        query={
            "before": whole("At most so many older ones.", 0, 50, 5),
            "after": whole("At most so many newer ones.", 0, 50, 5),
            "same_collection": flag("Only from its collection.", default=False),
        },
        reads=True,
    ),
)
