"""``memory_retrieve``: one question, routed by what it asks for.

Every route starts from what ``query`` finds, in its order, and adds what the question's kind calls for, so that no
wording of a question makes the answer weaker.
"""

from __future__ import annotations

from collections.abc import Iterator

from hearth.engine.routing.routes import MOST_ADDED, Added, Ask, added
from hearth.engine.routing.routing import MODES, route
from hearth.model.query import Recall
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common, sessions
from hearth.server.remedies import MCP, all_worded, worded
from hearth.server.schema import choice, inputs, optional, outputs, rows, value, whole


def _retrieve(call: Call) -> Answer:
    chosen = route(call["query"])
    mode, why = (chosen.mode, chosen.why) if call["mode"] == "auto" else (call["mode"], "asked for")
    ask = Ask(call.vault, call["query"], call["limit"], common.collections(call))
    recall = ask.recall("hybrid")
    common.used(call, recall)
    return _answer(call, mode, why, recall, added(mode, ask, recall))


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
