"""What a document replaced, and what replaced it."""

from __future__ import annotations

from typing import Annotated

from hearth.server.operations.arguments import Arguments, text
from hearth.server.operations.operation import Operation
from hearth.server.operations.shapes import ANYTHING, FLAG, STANDING, TEXT, listed, obj


class About(Arguments):
    reference: Annotated[str, text("Which document: its docid (#… from any result) or collection/path.", 4_096)]


_PLACE = dict.fromkeys(("docid", "collection", "path", "title", "content_type", "said"), TEXT)

HISTORY = Operation(
    "history",
    "What replaced what",
    "What a document replaced and what replaced it, the oldest first, with dates and reasons.",
    About,
    obj(
        {
            "versions": listed(obj({**_PLACE, **STANDING, "focus": FLAG, "why": ANYTHING}), "The oldest first."),
            "edges": listed(ANYTHING, "Other documents that it contradicts or refines."),
        }
    ),
    lambda call, given: call.vault.truth.chain(given.reference),
)
