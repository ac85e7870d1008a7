"""Documents, with their lines or around a date."""

from __future__ import annotations

from hearth.engine.documents.related import Moment
from hearth.guard.invisible import visible
from hearth.model.validity import Validity
from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments
from hearth.server.operations.documents import DocumentText, Read, Readings, Timeline

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
