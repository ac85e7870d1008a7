"""What the vault needs of a person."""

from __future__ import annotations

from typing import Annotated

from hearth.server.operations.arguments import about
from hearth.server.operations.operation import Operation
from hearth.server.operations.shapes import ANYTHING, INSTANT, TEXT, TEXTS, listed, maybe, obj
from hearth.server.operations.state import Reasoned


class Curate(Reasoned):
    apply: Annotated[bool, about("Do what can be undone (default false). Only as the person wants it.")] = False


CURATE = Operation(
    "curate",
    "Curate",
    "What the vault needs of a person, each with its command; with apply, do what can be undone.",
    Curate,
    obj(
        {
            "at": INSTANT,
            "actions": listed(ANYTHING, "Ten at most, the most urgent first: what, its commands, whether reversible."),
            "done": TEXTS,
            "run": maybe(TEXT) | {"description": "What undoes it all at once."},
        }
    ),
    lambda call, given: call.vault.dream.curator().curate(apply=given.apply, reason=given.reason, actor=call.actor),
    writes=True,
)
