"""What the last weeks were about."""

from __future__ import annotations

from typing import Annotated

from hearth.server.operations.arguments import Arguments, whole
from hearth.server.operations.operation import Operation
from hearth.server.operations.shapes import ANYTHING, TEXT, WHOLE, listed, obj


class Reflect(Arguments):
    days: Annotated[int, whole("Of so many days, today included.", 1, 3_650)] = 14


REFLECT = Operation(
    "reflect",
    "Reflect",
    "What the last weeks were about: themes, decisions, recurring problems, open questions.",
    Reflect,
    obj(
        {
            "days": WHOLE,
            "first": TEXT,
            "last": TEXT,
            "documents": WHOLE,
            "passages": WHOLE,
            "themes": listed(ANYTHING, "Term, how many passages on how many days, examples."),
            "decisions": listed(ANYTHING, "The newest first, with place and line."),
            "problems": listed(ANYTHING, "What came up on several days."),
            "questions": listed(ANYTHING, "About which nothing was decided since."),
            "left_out": WHOLE | {"description": "Documents and passages for which there was no room."},
            "skipped": listed(ANYTHING, "Documents that could not be read."),
        }
    ),
    lambda call, given: call.vault.dream.reflector.reflect(given.days),
)
