"""Arguments and answers that several tools share."""

from __future__ import annotations

from typing import Any

from hearth.engine.vault import Vault
from hearth.errors import HearthError
from hearth.model.query import MAX_QUERY_CHARS, Recall
from hearth.model.types import CONTENT_TYPES
from hearth.server.collections import existing
from hearth.server.mcp import render
from hearth.server.mcp.tool import REBUILDING, Answer, Call
from hearth.server.moments import DATE, instant
from hearth.server.problems import logger
from hearth.server.remedies import MCP, all_worded, worded
from hearth.server.schema import flag, number, outputs, rows, text, texts, value, whole

QUERY = text("What to look for, in the words of the question.", longest=MAX_QUERY_CHARS)
LIMIT = whole("At most so many passages (default 10).", 1, 50, 10)
COLLECTION = text("Only in this collection; several between commas.", longest=1_000)
TYPES = texts("Only these types of document.", longest=40, most=30, options=tuple(CONTENT_TYPES))
SINCE = text(f"Not older than this: {DATE}.", longest=40)
UNTIL = text(f"Not newer than this: {DATE}; a date includes that day.", longest=40)
FULL = flag("Whole passages instead of snippets (default false).", default=False)
MIN_SCORE = number("Leave out what scores lower, 0 to 1.", 0, 1)
REFERENCE = text(
    "Which document: its docid (#… from any result), collection/path, or the end of its path.", longest=4_096
)
REASON = text("Why, in up to 200 characters; kept in the journal.", longest=200)

HIT = {
    "docid": "string",
    "collection": "string",
    "path": "string",
    "start_line": "integer",
    "end_line": "integer",
    "title": "string",
    "score": "number",
    "content_type": "string",
    "authored_at": "integer?",
    "modified_at": "integer",
    "fragment": "string",
    "hidden": "strings?",
    "also_in": "strings?",
    "via": "string?",
}
DOCUMENT = {
    "docid": "string",
    "collection": "string",
    "path": "string",
    "title": "string",
    "content_type": "string",
    "authored_at": "integer?",
    "modified_at": "integer",
}
HITS = rows("The passages, best first; what they say is in text.", **HIT)
FOUND = outputs(
    recipe=value("string", "How it was searched."),
    took_ms=value("number"),
    missing=value("strings", "Lanes that could not answer."),
    reason=value("string?", "Why there are no results."),
    results=HITS,
)
CHANGED = outputs(
    action=value("string", "What was done, or preview or unchanged."),
    docid=value("string"),
    collection=value("string"),
    path=value("string"),
    title=value("string?"),
    events=value("strings", "Journal events; memory_undo takes one back."),
)

FILTERS = {"collection": COLLECTION, "types": TYPES, "since": SINCE, "until": UNTIL}


def collections(call: Call) -> tuple[str, ...]:
    """The collections named. Raises ``NotFound`` for one that there is not."""
    chosen = tuple(name.strip() for name in (call["collection"] or "").split(",") if name.strip())
    return existing(call.vault, chosen)


def filters(call: Call) -> dict[str, Any]:
    """The filters given, as fields of a ``Query``."""
    zone = call.vault.zone
    return {
        "collections": collections(call),
        "types": call["types"] or (),
        "since": instant(call["since"], "since", zone),
        "until": instant(call["until"], "until", zone, end=True),
    }


def found(recall: Recall, *, full: bool) -> Answer:
    """An answer of the engine, in words and as data."""
    data = {
        "recipe": recall.recipe,
        "took_ms": round(recall.took_ms, 2),
        "missing": all_worded(recall.missing, MCP),
        "reason": worded(recall.reason, MCP) if recall.reason else None,
        "results": [render.row(hit) for hit in recall.hits],
    }
    return Answer(headed(recall, full=full), data)


def headed(recall: Recall, *, full: bool) -> str:
    """The passages under a line that says how many; without any, why."""
    if not recall.hits:
        return nothing(recall.reason)
    missing = ", ".join(all_worded(recall.missing, MCP))
    lacking = f" Answered without {render.line(missing)}." if missing else ""
    return f"{render.plural(len(recall.hits), 'passage')}, best first.{lacking}\n\n" + render.passages(
        recall.hits, full=full
    )


def nothing(reason: str | None) -> str:
    """Why there are no passages; nothing was found only where memory was asked."""
    if reason == REBUILDING:
        return "Not searched: the index is being rebuilt (rebuilding); ask again in a minute."
    said = render.line(worded(reason or "nothing fits", MCP))
    unasked = said in _UNASKED
    return f"{'Not searched' if unasked else 'Nothing found'}: {said}."


_UNASKED = frozenset({"the index can't be rebuilt", "the query holds nothing to search for"})


def opened(call: Call, docid: str) -> None:
    """Records that a document was shown by name, as ``used`` does."""
    try:
        call.vault.usage.opened(docid)
    except (HearthError, OSError) as error:
        logger.warning("the use of a document was not recorded: %s", error)


def used(call: Call, recall: Recall) -> None:
    """Records that somebody asked for these documents; a journal that can't be written keeps nobody from an answer."""
    if recall.hits:
        try:
            call.vault.usage.recalled(recall, call.session)
        except (HearthError, OSError) as error:
            logger.warning("the use of %d documents was not recorded: %s", len(recall.hits), error)


def rebuilding(call: Call) -> Answer:
    """The empty answer of a search while the index is being rebuilt."""
    return found(Recall(call["query"] or "", "none", reason=call.hindrance), full=False)


def titled(vault: Vault, docid: str) -> str | None:
    with vault.store.read() as reader:
        stored = reader.document(docid)
    return None if stored is None else render.line(stored.document.title)
