"""Chains of causes of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.engine.graph.causal import chains
from hearth.server.operations.arguments import Arguments, OneOf, text, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import HIT, NUMBER, TEXT, WHOLE, listed, obj

if TYPE_CHECKING:
    from hearth.engine.graph.causal.chains import CausalView


class CausesOf(Arguments):
    reference: Annotated[
        str, text("Which document: its docid (#… from any result), collection/path, or the end of its path.", 4_096)
    ]
    direction: Annotated[
        Annotated[str, OneOf(*chains.DIRECTIONS)],
        text("causes: what it led to; caused_by: what led to it (default both).", 10),
    ] = chains.BOTH
    depth: Annotated[int, whole("Follow so many relations (default 5).", 1, chains.DEEPEST)] = 5


def _find(call: Request, given: CausesOf) -> CausalView:
    return chains.find_causal_links(call.vault, given.reference, given.direction, given.depth)


_PLACE = {"docid": TEXT, "collection": TEXT, "path": TEXT, "title": TEXT}
_EVIDENCE = obj({"docid": TEXT, "path": TEXT, "start_line": WHOLE, "end_line": WHOLE, "words": TEXT})
_LINK = obj(
    {
        **_PLACE,
        "direction": TEXT,
        "depth": WHOLE,
        "confidence": NUMBER,
        "via": HIT["properties"]["chain"]
        | {"description": "Each step from cause to effect, from what was asked about."},
        "evidence": listed(_EVIDENCE, "Who says the last step; lines 0 to 0 for frontmatter."),
        "origin": TEXT,
    }
)

CAUSAL = Operation(
    "causal",
    "Causes and effects",
    "List what led to a document and what it led to, along causal relations: how sure, by which way, and who says so.",
    CausesOf,
    obj({"source": obj(_PLACE), "links": listed(_LINK, "The surest first, at most 50.")}),
    _find,
)
