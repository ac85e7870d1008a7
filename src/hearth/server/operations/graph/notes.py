"""What a document is about, and how that grew."""

from __future__ import annotations

from hearth.engine.knowledge.notes.notes import tell_note
from hearth.server.operations.arguments import Referring
from hearth.server.operations.operation import Operation
from hearth.server.operations.shapes import NUMBER, TEXT, TEXTS, WHOLE, listed, obj

_VERSION = obj(
    {"version": WHOLE, "date": TEXT, "docid": TEXT, "title": TEXT, "weight": NUMBER, "added": TEXTS, "read_by": TEXT}
)

NOTE = Operation(
    "evolution",
    "What a document is about",
    "Say what a document is about: keywords, tags, a sentence; and what documents like it, that came later, added.",
    Referring,
    obj(
        {
            "docid": TEXT,
            "collection": TEXT,
            "path": TEXT,
            "title": TEXT,
            "keywords": TEXTS,
            "tags": TEXTS,
            "context": TEXT,
            "versions": listed(_VERSION, "The oldest first."),
            "read_by": TEXT,
        }
    ),
    lambda call, given: tell_note(call.vault, given.reference),
)
