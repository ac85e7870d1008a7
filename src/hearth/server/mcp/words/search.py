"""Search results and documents in words, and the calls of other memory systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.context.report import CompatResult, MemoryContext, MemorySearch, MemoryText
from hearth.core.query import Hit, QueryPlan, Recall
from hearth.core.validity import Validity
from hearth.guard.invisible import visible
from hearth.operations import render
from hearth.operations.arguments import Arguments
from hearth.operations.documents import DocumentText, Read, Readings, Timeline
from hearth.operations.operation import HINDRANCES, REBUILDING
from hearth.operations.search import Alike, Asking, Found, Retrieve, Retrieved, Search
from hearth.recall.ranking import packing
from hearth.server.mcp.words import upkeep
from hearth.vault.documents import Moment

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
    return "\n".join((_lead(recall), "", *(f"> {render.line(row)}" for row in packing.render(recall.hits))))


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
        yield "Sessions, newest first:\n" + "\n".join(map(upkeep.line, added.sessions))


def alike(result: Alike, given: Arguments) -> str:
    if not result.hits:
        return "No document is like it."
    return f"{render.plural(len(result.hits), 'document')} like it, nearest first.\n\n" + render.passages(result.hits)


_BACKLINKS = 5


def reading(result: DocumentText, given: Read) -> str:
    lines = _lines(result)
    if given.line_numbers:
        lines = [f"{number}\t{line}" for number, line in enumerate(lines, result.first)]
    more = ""
    if result.next is not None:
        more = f"\n\n(cut here; read on with from_line {result.next})"
    elif result.cut:
        more = "\n\n(the last line is cut)"
    return _head(result) + "\n\n" + "\n".join(lines) + more + _linked_from(result.backlinks or [])


def _linked_from(places: list[str]) -> str:
    named = ", ".join(map(render.name, places[:_BACKLINKS]))
    more = f" and {len(places) - _BACKLINKS} more" if len(places) > _BACKLINKS else ""
    return f"\n\n(linked from {named}{more})" if places else ""


def readings(result: Readings, given: Arguments) -> str:
    bodies = [_head(one) + "\n\n" + "\n".join(_lines(one)) for one in result.readings]
    left_out = [f"Left out {render.name(place)}: {render.said(reason)}" for place, reason in result.skipped]
    if result.omitted:
        left_out.append(f"{render.plural(result.omitted, 'more document')} fit; narrow the pattern")
    return ("\n\n---\n\n".join(bodies) + ("\n\n" + "\n".join(left_out) if left_out else "")).strip()


def timeline(result: Timeline, given: Arguments) -> str:
    marked = (
        f"{'>' if moment.focus else ' '} {render.document_line(moment.stored.document)}{_standing(moment, result.now)}"
        + (f", session {render.name(moment.session)}" if moment.session else "")
        + (f" (conversation #{moment.conversation})" if moment.conversation else "")
        for moment in result.moments
    )
    return "Oldest first; > is the one asked for.\n" + "\n".join(marked)


def _standing(moment: Moment, now: int) -> str:
    label = Validity.of(moment.stored.document, moment.stored.state, now).label()
    return f" ({label})" if label else ""


def _lines(result: DocumentText) -> list[str]:
    """What a reader of the lines sees; as many lines, since what ends a line for some is part of one here."""
    return [visible(line).replace("\n", " ") for line in result.lines]


def _head(result: DocumentText) -> str:
    document = result.passage.document
    where = f"lines {result.first}-{result.last} of {result.passage.total_lines}"
    about = f"{render.line(document.title)} ({document.content_type}, #{document.docid})"
    head = f"{render.name(document.collection)}/{render.name(document.path)} | {about}, {where}"
    if result.validity.doubt:
        head += f"\n{result.validity.doubt}; memory_review settles it"
    if not result.validity.hidden:
        return head
    more = (
        "memory_review approves or rejects it"
        if result.validity.hidden == ("pending",)
        else "memory_history tells the rest"
    )
    return f"{head}\n{result.validity.label(loud=True)}; {more}"


def memory_search_results(result: MemorySearch, given: Arguments) -> str:
    if not result.results:
        return nothing(result.reason)
    sure = "" if result.confident else f" {perhaps(result.reason)}"
    head = f"{render.plural(len(result.results), 'passage')}, best first.{sure}"
    return "\n\n".join([head, *(_block(at, one) for at, one in enumerate(result.results, 1))])


def _block(at: int, result: CompatResult) -> str:
    place = result.citation or f"{result.path}#L{result.start_line}-L{result.end_line}"
    return f"[{at}] {render.name(place)} (score: {result.score:.3f})\n{render.quoted(render.clean(result.snippet))}"


def lines(result: MemoryText, given: Arguments) -> str:
    if result.status == "not_found":
        return f"There is no {render.name(result.path)}."
    more = f"\n\n(cut here; read on with from {result.next})" if result.next is not None else ""
    last = result.first + max(0, result.lines - 1)
    head = f"## {render.name(result.path)}, lines {result.first}-{last} of {result.total}"
    return f"{head}\n\n{result.text}{more}"


def context(result: MemoryContext, given: Arguments) -> str:
    if result.digest:
        return result.digest if result.confident else f"{perhaps(None)}\n\n{result.digest}"
    if result.skipped or result.reason in HINDRANCES:
        return f"(not searched: {render.line(result.skipped or str(result.reason))})"
    return f"(no relevant memory: {render.said(result.reason or 'nothing fits')})"
