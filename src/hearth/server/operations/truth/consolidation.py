"""What was said several times becomes one."""

from __future__ import annotations

from typing import Annotated

from hearth.server.operations.arguments import about
from hearth.server.operations.operation import Operation
from hearth.server.operations.shapes import ANYTHING, FLAG, TEXT, TEXTS, WHOLE, listed, maybe, obj
from hearth.server.operations.state import Reasoned


class Consolidate(Reasoned):
    dry_run: Annotated[bool, about("Only show what would be done (default true).")] = True


CONSOLIDATE = Operation(
    "consolidate",
    "Unite what says the same",
    "Unite memories that say the same, put away what ended; unless dry_run is false, only say what would be done.",
    Consolidate,
    obj(
        {
            "dry_run": FLAG,
            "changes": listed(ANYTHING, "The most certain first."),
            "memories": WHOLE | {"description": "Memories that were looked at."},
            "kept": WHOLE | {"description": "Changes left alone, since documents changed meanwhile."},
            "run": maybe(TEXT) | {"description": "What undoes it all at once."},
            "remarks": TEXTS | {"description": "Why a language model had no part in it."},
        }
    ),
    lambda call, given: call.vault.truth.consolidator.run(
        apply=not given.dry_run, reason=given.reason, actor=call.actor
    ),
    writes=True,
)
