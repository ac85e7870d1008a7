"""Passages found, and what a route added to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.model.query import Hit, QueryPlan, Recall
from hearth.ranking.packing import outline
from hearth.server.mcp import render
from hearth.server.mcp.words import sessions
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.operation import REBUILDING
from hearth.server.operations.search import Alike, Asking, Found, Retrieve, Retrieved, Search

_UNASKED = frozenset({"the index can't be rebuilt", "the query holds nothing to search for"})


def found(result: Found, given: Search) -> str:
    return headed(result.recall, given)


def lead(result: Found, given: Search) -> str | None:
    """The beginning of the words, where brief rows say the rest; ``None`` where there are none."""
    return _lead(result.recall) if given.brief and result.recall.hits else None


def headed(recall: Recall, given: Asking) -> str:
    """The passages under a line that says how many and how sure; without any, why."""
    if not recall.hits:
        return nothing(recall.reason)
    if recall.plan is not None and recall.plan.kind == "outline":
        return _outlined(recall)
    return f"{_lead(recall)}\n\n{_passages(recall.hits, given)}"


def _outlined(recall: Recall) -> str:
    return "\n".join((_lead(recall), "", *(f"> {render.line(row)}" for row in outline.render(recall.hits))))


def _lead(recall: Recall) -> str:
    hits, missing = recall.hits, recall.missing
    if not hits:
        return nothing(recall.reason)
    lacking = f" Answered without {', '.join(map(render.said, missing))}." if missing else ""
    sure = "" if recall.confident else f" {perhaps(recall.reason)}"
    return f"{_tell_plan(recall.plan, len(hits))}{sure}{lacking}"


def _tell_plan(plan: QueryPlan | None, count: int) -> str:
    passages = render.plural(count, "passage")
    if plan is None or plan.kind == "single":
        return f"{passages}, best first."
    why = render.line(plan.why)
    if plan.kind == "outline":
        return f"Outline ({why}): {render.plural(count, 'line')} by time, each with the line that get reads."
    return f"{passages} ({why}), the best for each in turn: {'; '.join(map(render.line, plan.clauses))}."


def perhaps(reason: str | None) -> str:
    return f"Perhaps none of them answers: {render.said(reason or 'weak matches')}."


def _passages(hits: Sequence[Hit], given: Asking, first: int = 1) -> str:
    if given.brief:
        return render.brief_passages(hits, first=first)
    return render.passages(hits, full=given.full, first=first)


def nothing(reason: str | None) -> str:
    """Why there are no passages; nothing was found only where memory was asked."""
    if reason == REBUILDING:
        return "Not searched: the index is being rebuilt (rebuilding); ask again in a minute."
    said = render.said(reason or "nothing fits")
    return f"{'Not searched' if said in _UNASKED else 'Nothing found'}: {said}."


def retrieved(result: Retrieved, given: Retrieve) -> str:
    return "\n\n".join([_route(result), *_parts(result, given)])


def retrieved_lead(result: Retrieved, given: Retrieve) -> str | None:
    """The beginning of the words, where the rows say the rest: an outline is shorter than its rows were."""
    if not given.brief:
        return None
    if result.added.outline is not None:
        return f"{_route(result)}\n\n{_outlined(result.added.outline)}"
    return f"{_route(result)}\n\n{_lead(result.recall)}" if result.recall.hits else None


def _route(result: Retrieved) -> str:
    return f"Route: {result.mode}" + (f" ({render.line(result.why)})." if result.why else ".")


def _parts(result: Retrieved, given: Retrieve) -> Iterator[str]:
    recall, added = result.recall, result.added
    if added.outline is not None:
        yield _outlined(added.outline)
        if recall.hits:
            yield f"Passages that it has no line of:\n\n{_passages(recall.hits, given)}"
    elif recall.hits or not added.hits:
        yield headed(recall, given)
    if added.hits:
        what = "Documents like these" if result.mode == "discovery" else f"More by {result.mode} search"
        yield f"{what}:\n\n" + _passages(added.hits, given, len(recall.hits) + 1)
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
