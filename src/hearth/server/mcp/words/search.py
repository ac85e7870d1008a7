"""Passages found, and what a route added to them."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.model.query import Recall
from hearth.server.mcp import render
from hearth.server.mcp.words import sessions
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.operation import REBUILDING
from hearth.server.operations.search import Alike, Found, Retrieve, Retrieved, Search

_UNASKED = frozenset({"the index can't be rebuilt", "the query holds nothing to search for"})


def found(result: Found, given: Search) -> str:
    return headed(result.recall, full=given.full)


def headed(recall: Recall, *, full: bool) -> str:
    """The passages under a line that says how many and how sure; without any, why."""
    hits, missing = recall.hits, recall.missing
    if not hits:
        return nothing(recall.reason)
    lacking = f" Answered without {', '.join(map(render.said, missing))}." if missing else ""
    sure = "" if recall.confident else f" Perhaps none of them answers: {render.said(recall.reason or 'weak matches')}."
    return f"{render.plural(len(hits), 'passage')}, best first.{sure}{lacking}\n\n" + render.passages(hits, full=full)


def nothing(reason: str | None) -> str:
    """Why there are no passages; nothing was found only where memory was asked."""
    if reason == REBUILDING:
        return "Not searched: the index is being rebuilt (rebuilding); ask again in a minute."
    said = render.said(reason or "nothing fits")
    return f"{'Not searched' if said in _UNASKED else 'Nothing found'}: {said}."


def retrieved(result: Retrieved, given: Retrieve) -> str:
    lead = f"Route: {result.mode}" + (f" ({render.line(result.why)})." if result.why else ".")
    return "\n\n".join([lead, *_parts(result, given)])


def _parts(result: Retrieved, given: Retrieve) -> Iterator[str]:
    recall, added = result.recall, result.added
    if recall.hits or not added.hits:
        yield headed(recall, full=given.full)
    if added.hits:
        what = "Documents like these" if result.mode == "discovery" else f"More by {result.mode} search"
        yield f"{what}:\n\n" + render.passages(added.hits, full=given.full, first=len(recall.hits) + 1)
    if result.documents:
        yield "By date, newest first:\n" + "\n".join(render.document_line(d.document) for d in result.documents)
    elif added.timed:
        yield "No document is from that time."
    if added.sessions:
        yield "Sessions, newest first:\n" + "\n".join(map(sessions.line, added.sessions))


def alike(result: Alike, given: Arguments) -> str:
    if not result.hits:
        return "No document is like it."
    return f"{render.plural(len(result.hits), 'document')} like it, nearest first.\n\n" + render.passages(result.hits)
