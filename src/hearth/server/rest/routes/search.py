"""Questions: search, routed retrieval, documents like one."""

from __future__ import annotations

from typing import Any

from hearth.engine.routing.routes import Ask, added
from hearth.engine.routing.routing import MODES, route
from hearth.model.document import VEILS
from hearth.model.query import MAX_QUERY_CHARS, Recall
from hearth.model.types import CONTENT_TYPES
from hearth.server.collections import existing
from hearth.server.moments import instant
from hearth.server.remedies import REST, all_worded, worded
from hearth.server.rest import rows
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.shapes import REMARKS, listed, obj, ref
from hearth.server.schema import choice, flag, number, text, texts, whole

MOST = 100
_RECIPES = {"auto": "hybrid", "hybrid": "hybrid", "keyword": "keyword", "semantic": "semantic"}


def _search(asked: Asked) -> dict[str, Any]:
    recall = asked.vault.recall(
        asked["query"],
        recipe=_RECIPES[asked["mode"]],
        types=asked["types"] or (),
        since=instant(asked["since"], "since", asked.vault.zone),
        until=instant(asked["until"], "until", asked.vault.zone, end=True),
        include=asked["include"] or (),
        collections=existing(asked.vault, asked["collections"] or ()),
        **asked.given("limit", "min_score", "explain"),
    )
    _used(asked, recall)
    return recall.to_dict(full=asked["full"]) | _said(recall)


def _retrieve(asked: Asked) -> dict[str, Any]:
    """The route adds to what hybrid search finds, in its order, as the tool of that name does."""
    chosen = route(asked["query"])
    mode, why = (chosen.mode, chosen.why) if asked["mode"] == "auto" else (asked["mode"], "asked for")
    ask = Ask(asked.vault, asked["query"], asked["limit"], existing(asked.vault, asked["collections"] or ()))
    recall = ask.recall("hybrid")
    more = added(mode, ask, recall)
    _used(asked, recall)
    found = recall.to_dict(full=asked["full"])
    beside = [hit.to_dict(full=asked["full"]) | {"via": mode} for hit in more.hits]
    with asked.vault.store.read() as reader:
        stored = [reader.document(document.docid) for document in more.documents]
    return {
        "query": found["query"],
        "mode": mode,
        "why": why or None,
        "took_ms": found["took_ms"],
        **(_said(recall) | ({"reason": None} if more.hits else {})),
        "results": found["results"] + beside,
        "timeline": [rows.document(one) for one in stored if one is not None],
        "sessions": [rows.session(session) for session in more.sessions],
    }


def _said(recall: Recall) -> dict[str, Any]:
    """What the engine says of the answer, in the words of this surface."""
    reason = worded(recall.reason, REST) if recall.reason else None
    return {"missing": all_worded(recall.missing, REST), "reason": reason}


def _similar(asked: Asked) -> dict[str, Any]:
    return {"results": [hit.to_dict() for hit in asked.vault.similar(asked["docid"], asked["limit"])]}


def _used(asked: Asked, recall: Recall) -> None:
    """Records that somebody asked for these documents; no answer waits for the journal."""
    session = asked["session"]
    if recall.hits:
        asked.afterwards(lambda vault: vault.usage.recalled(recall, session))


_QUERY = text("What to look for.", longest=MAX_QUERY_CHARS)
_COMMON = {
    "limit": whole("At most so many passages; a route of /retrieve adds 5 more at most.", 1, MOST, 10),
    "collections": texts("Only in these collections.", longest=64, most=100),
    "full": flag("Whole passages beside the snippets.", default=False),
    "session": text("The session that asks, for the use of documents.", longest=200),
}

ROUTES = (
    Route(
        "search",
        "POST",
        "/search",
        "Find passages.",
        _search,
        ref("Answer"),
        body={
            "query": _QUERY,
            "mode": choice("How; auto is hybrid.", tuple(_RECIPES), "auto"),
            **_COMMON,
            "types": texts("Only these types of document.", longest=40, most=30, options=tuple(CONTENT_TYPES)),
            "since": text("Not older: YYYY-MM-DD or ISO 8601.", longest=40, format="date-time"),
            "until": text("Not newer; a date includes that day.", longest=40, format="date-time"),
            "include": texts("Also what is so.", longest=40, most=3, options=VEILS[1:]),
            "min_score": number("Leave out what scores lower.", 0, 1),
            "explain": flag("How each score came about.", default=False),
        },
        required=("query",),
        reads=True,
    ),
    Route(
        "retrieve",
        "POST",
        "/retrieve",
        "Ask a question; its wording picks what is added to hybrid search.",
        _retrieve,
        ref("Retrieved"),
        body={"query": _QUERY, "mode": choice("The route.", ("auto", *MODES), "auto"), **_COMMON},
        required=("query",),
        reads=True,
    ),
    Route(
        "similar",
        "GET",
        "/graph/similar/{docid}",
        "Documents with passages like those of a document, nearest first.",
        _similar,
        obj({"results": listed(ref("Hit"))}, REMARKS),
        query={"limit": whole("At most so many.", 1, MOST, 5)},
        reads=True,
    ),
)
