"""``memory_retrieve``: one question, routed by what it asks for.

Every route starts from what ``query`` finds, in its order, and adds what the question's kind calls for, so that no
wording of a question makes the answer weaker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hearth.engine.routing import MODES, asks_newest, route
from hearth.engine.vault import Vault
from hearth.model.document import Document
from hearth.model.query import Hit, Recall
from hearth.model.session import Session
from hearth.ports import Filter
from hearth.server.hints import MCP, all_worded, worded
from hearth.server.mcp import render
from hearth.server.mcp.schema import choice, inputs, optional, outputs, rows, value, whole
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common, sessions
from hearth.text.time_expressions import time_ranges

_RELATED_FROM = 2
_RELATED_SCORE = 0.3
_MOST_DATED = 200
_MOST_TIMES = 5
_MOST_SESSIONS = 100
MOST_ADDED = 5
"""Passages that a route adds beyond the limit."""


def _retrieve(call: Call) -> Answer:
    chosen = route(call["query"])
    mode, why = (chosen.mode, chosen.why) if call["mode"] == "auto" else (call["mode"], "asked for")
    options = {"limit": call["limit"], "collections": common.collections(call)}
    recall = call.vault.recall(call["query"], recipe="hybrid", **options)
    common.used(call, recall)
    return _answer(call, mode, why, recall, added(mode, call, recall, options))


@dataclass(frozen=True, slots=True)
class Added:
    """What a route adds to the passages; ``timed`` says that it looked at a time."""

    hits: Sequence[Hit] = ()
    documents: Sequence[Document] = ()
    sessions: Sequence[Session] = ()
    timed: bool = False


Options = dict[str, Any]


def _hybrid(call: Call, recall: Recall, options: Options) -> Added:
    return Added()


def _by_recipe(recipe: str) -> Callable[[Call, Recall, Options], Added]:
    def added(call: Call, recall: Recall, options: Options) -> Added:
        known = {(hit.docid, hit.start_line) for hit in recall.hits}
        found = call.vault.recall(call["query"], recipe=recipe, **options).hits
        more = [hit for hit in found if (hit.docid, hit.start_line) not in known]
        return Added(more[: min(call["limit"], MOST_ADDED)])

    return added


def _discovery(call: Call, recall: Recall, options: Options) -> Added:
    """Documents like the best ones, as far as these are answers."""
    known = {hit.docid for hit in recall.hits}
    added: dict[str, Hit] = {}
    for hit in recall.hits[:_RELATED_FROM]:
        for other in call.vault.similar(f"#{hit.docid}", 2 * MOST_ADDED + len(known)):
            within = not options["collections"] or other.collection in options["collections"]
            if within and other.docid not in known and other.score >= _RELATED_SCORE:
                added.setdefault(other.docid, other)
    return Added(sorted(added.values(), key=lambda hit: (-hit.score, hit.docid))[: min(call["limit"], MOST_ADDED)])


def _timeline(call: Call, recall: Recall, options: Options) -> Added:
    """What was written and which sessions there were in the time that the question names, newest first; the newest of
    all where it asks for that. Else the passages found, by date: what is new has nothing to do with the question."""
    vault, limit, within = call.vault, call["limit"], Filter(options["collections"])
    now = vault.parts.clock()
    # As far ahead as back, so that the middle is now.
    times = [(time.start, time.end) for time in time_ranges(call["query"], now, vault.parts.zone)[:_MOST_TIMES]]
    spans = times or ([(0, 2 * now)] if asks_newest(call["query"]) else [])
    if not spans:
        return Added((), _dated(vault, recall)[:limit])
    unique = {document.docid: document for span in spans for document in newest(vault, within, span, limit)}
    documents = sorted(unique.values(), key=lambda d: (-d.dated_at, d.docid))[:limit]
    log = vault.sessions(_MOST_SESSIONS)
    sessions = [one for one in log if any(one.began < end and one.last >= start for start, end in spans)]
    return Added((), documents, sessions[:limit], timed=True)


def _dated(vault: Vault, recall: Recall) -> list[Document]:
    """The documents of the passages, newest first."""
    with vault.parts.store.read() as reader:
        found = [reader.document(docid) for docid in dict.fromkeys(hit.docid for hit in recall.hits)]
    documents = [stored.document for stored in found if stored is not None]
    return sorted(documents, key=lambda document: (-document.dated_at, document.docid))


def newest(vault: Vault, within: Filter, span: tuple[int, int], limit: int) -> list[Document]:
    """Documents dated in [start, end) ms UTC, newest first; of very many those next to the middle."""
    with vault.parts.store.read() as reader:
        rows = reader.documents_between(*span, within, max(limit, _MOST_DATED))
        found = [stored.document for stored in reader.documents(rows).values()]
    return sorted(found, key=lambda document: (-document.dated_at, document.docid))[:limit]


_ROUTES: dict[str, Callable[[Call, Recall, Options], Added]] = {
    "hybrid": _hybrid,
    "keyword": _by_recipe("keyword"),
    "semantic": _by_recipe("semantic"),
    "discovery": _discovery,
    "timeline": _timeline,
}
assert set(_ROUTES) == set(MODES)


def added(mode: str, call: Call, recall: Recall, options: Options) -> Added:
    """What the route adds to what hybrid search found with these options, for every surface."""
    return _ROUTES[mode](call, recall, options)


def _answer(call: Call, mode: str, why: str, recall: Recall, added: Added) -> Answer:
    reason = None if added.hits or recall.reason is None else worded(recall.reason, MCP)
    timeline = mode == "timeline"
    data = {
        "mode": mode,
        "why": why or None,
        "took_ms": round(recall.took_ms, 2),
        "missing": all_worded(recall.missing, MCP),
        "reason": reason,
        "results": [render.row(hit) for hit in recall.hits] + [render.row(hit, via=mode) for hit in added.hits],
        "timeline": [render.document_row(document) for document in added.documents] if timeline else None,
        "sessions": [sessions.row(session) for session in added.sessions] if timeline else None,
    }
    lead = f"Route: {mode}" + (f" ({render.line(why)})." if why else ".")
    return Answer("\n\n".join([lead, *_told(call, mode, recall, added)]), data)


def _told(call: Call, mode: str, recall: Recall, added: Added) -> Iterator[str]:
    if recall.hits or not added.hits:
        yield common.headed(recall, full=call["full"])
    if added.hits:
        what = "Documents like these" if mode == "discovery" else f"More by {mode} search"
        yield f"{what}:\n\n" + render.passages(added.hits, full=call["full"], first=len(recall.hits) + 1)
    if added.documents:
        yield "By date, newest first:\n" + "\n".join(render.document_line(d) for d in added.documents)
    elif added.timed:
        yield "No document is from that time."
    if added.sessions:
        yield "Sessions, newest first:\n" + "\n".join(map(sessions.line, added.sessions))


def _rebuilding(call: Call) -> Answer:
    empty = Recall(call["query"], "none", reason=call.hindrance)
    return _answer(call, "hybrid", "", empty, Added())


TOOLS = (
    Tool(
        name="memory_retrieve",
        title="Ask the memory",
        description=(
            "Start here. Ask before answering about past work, decisions, people, preferences, dates or problems. "
            "Picks the kind of search from the wording and says which. Nothing found means: not in memory."
        ),
        takes=inputs(
            "query",
            query=common.QUERY,
            mode=choice(
                "Kind of search (default auto). timeline adds what was written at that time, discovery adds "
                "documents like the best ones.",
                ("auto", *MODES),
                "auto",
            ),
            limit=whole(
                f"At most so many passages (default 10); the kind of search adds {MOST_ADDED} more at most. Also of "
                "documents by date, and of sessions.",
                1,
                50,
                10,
            ),
            collection=common.COLLECTION,
            full=common.FULL,
        ),
        gives=outputs(
            mode=value("string", "The route taken."),
            why=value("string?", "The wording that decided."),
            took_ms=value("number"),
            missing=value("strings", "Lanes that could not answer."),
            reason=value("string?", "Why there are no results."),
            results=common.HITS,
            sessions=optional(sessions.SESSIONS),
            timeline=optional(rows("Documents by date, newest first.", **common.DOCUMENT)),
        ),
        run=_retrieve,
        core=True,
        always_load=True,
        empty=_rebuilding,
    ),
)
