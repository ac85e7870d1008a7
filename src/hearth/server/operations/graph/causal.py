"""Chains of causes of a document."""

from __future__ import annotations

from typing import Annotated

from hearth.engine.graph.causal import chains
from hearth.server.operations.arguments import OneOf, Referring, text, whole
from hearth.server.operations.operation import Operation
from hearth.server.operations.shapes import HIT, NUMBER, TEXT, WHOLE, listed, obj


class CausesOf(Referring):
    direction: Annotated[
        Annotated[str, OneOf(*chains.DIRECTIONS)],
        text("causes: what it led to; caused_by: what led to it (default both).", 10),
    ] = chains.BOTH
    depth: Annotated[int, whole("Follow so many relations (default 5).", 1, chains.DEEPEST)] = 5


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
    lambda call, given: chains.find_causal_links(call.vault, given.reference, given.direction, given.depth),
)
