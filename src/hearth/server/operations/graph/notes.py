"""What a document is about, and how that grew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hearth.engine.knowledge import notes
from hearth.server.operations.arguments import Arguments, text
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import NUMBER, TEXT, TEXTS, WHOLE, listed, obj

if TYPE_CHECKING:
    from hearth.engine.knowledge.notes import DocumentNote


class NoteOf(Arguments):
    reference: Annotated[
        str, text("Which document: its docid (#… from any result), collection/path, or the end of its path.", 4_096)
    ]


def _tell(call: Request, given: NoteOf) -> DocumentNote:
    return notes.tell_note(call.vault, given.reference)


_VERSION = obj({"version": WHOLE, "date": TEXT, "docid": TEXT, "title": TEXT, "weight": NUMBER, "added": TEXTS})

NOTE = Operation(
    "evolution",
    "What a document is about",
    "Say what a document is about: keywords, tags, a sentence; and what documents like it, that came later, added.",
    NoteOf,
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
    _tell,
)
