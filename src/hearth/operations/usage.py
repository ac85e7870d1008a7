"""What is used most: documents by how often answers used them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from hearth.core.instants import show_date_or_none
from hearth.core.lazy import dataclass
from hearth.core.query import SOURCES
from hearth.core.types import CONTENT_TYPES
from hearth.memory.usage import UsedDocument
from hearth.operations import render
from hearth.operations.arguments import Arguments, Name, OneOf, existing, texts, whole
from hearth.operations.operation import Operation, Request, Route
from hearth.operations.shapes import INSTANT, TEXT, WHOLE, listed, maybe, obj
from hearth.ports import Filter


class MostUsed(Arguments):
    limit: Annotated[int, whole("At most this many (default 20).", 1, 200)] = 20
    collections: Annotated[tuple[Name, ...], texts("Only in these collections.", 100)] = ()
    types: Annotated[tuple[Annotated[str, OneOf(*CONTENT_TYPES)], ...], texts("Only these types of document.", 30)] = ()
    sources: Annotated[
        tuple[Annotated[str, OneOf(*SOURCES)], ...],
        texts("Only what people wrote (notes), memories (memory), or what sessions said (conversations).", 3),
    ] = ()


@dataclass(frozen=True, slots=True)
class MostUsedReply:
    documents: Sequence[UsedDocument]

    def to_dict(self) -> dict[str, Any]:
        return {"documents": [one.to_dict() for one in self.documents]}


def _rank(call: Request, given: MostUsed) -> MostUsedReply:
    within = Filter(existing(call.vault, given.collections), given.types, sources=given.sources, at=call.vault.clock())
    return MostUsedReply(call.vault.usage.rank(within, given.limit))


def render_most_used(result: MostUsedReply, given: Arguments) -> str:
    if not result.documents:
        return "No document was used yet."
    return "\n".join(map(_say, result.documents))


def _say(one: UsedDocument) -> str:
    document, use = one.document, one.use
    counts = (
        f"used in {render.plural(use.referenced, 'answer')}",
        f"shown in {render.plural(use.surfaced, 'turn')}",
        f"found by {render.plural(use.recalled, 'question')}",
    )
    last = f", last read or used {show_date_or_none(one.last_accessed_at)}" if one.last_accessed_at else ""
    return f"{render.document_line(document)}\n    {', '.join(counts)}{last}"


_USED = obj(
    {
        "docid": TEXT,
        "collection": TEXT,
        "path": TEXT,
        "title": TEXT,
        "content_type": TEXT,
        "used": WHOLE | {"description": "Answers that used it."},
        "shown": WHOLE | {"description": "Turns that it was shown in unasked."},
        "found": WHOLE | {"description": "Questions that found it."},
        "last_accessed_at": maybe(INSTANT),
    }
)
MOST_USED = Operation(
    "usage_top",
    "What is used most",
    "List the documents and memories that answers used most, with how often they were shown and found.",
    MostUsed,
    obj({"documents": listed(_USED, "The most used first; what was never used or read is left out.")}),
    _rank,
    words=render_most_used,
    routes=(Route("GET", "/usage/top"),),
    command="usage",
)
