"""What was promised, and what was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.lazy import dataclass
from hearth.server.operations import state
from hearth.server.operations.arguments import Arguments, about, text, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import ANYTHING, INSTANT, listed, obj, ref

if TYPE_CHECKING:
    from hearth.engine.truth.commitments import Commitment


class Promised(Arguments):
    due: Annotated[int | None, whole("Only what is due within so many days, or overdue.", 0, 3_650)] = None
    closed: Annotated[bool, about("Also what was kept and what lapsed (default false).")] = False


class Done(state.Reasoned):
    reference: Annotated[str, text("Which commitment: its docid.", 4_096)]


@dataclass(frozen=True, slots=True)
class Promises:
    commitments: tuple[Commitment, ...]
    now: int

    def to_dict(self) -> dict[str, Any]:
        return {"commitments": [one.to_dict() for one in self.commitments], "now": self.now}


def _list(call: Request, given: Promised) -> Promises:
    vault = call.vault
    return Promises(tuple(vault.truth.commitments(given.due, closed=given.closed)), vault.clock())


LIST = Operation(
    "commitments",
    "What was promised",
    "What was promised and is open, the most urgent first: by whom, until when.",
    Promised,
    obj({"commitments": listed(ANYTHING, "The most urgent first."), "now": INSTANT}),
    _list,
)
DONE = Operation(
    "fulfil",
    "Say that a promise was kept",
    "Say that a commitment was kept.",
    Done,
    ref("Changed"),
    lambda call, given: state.titled(
        call, call.vault.truth.fulfil(given.reference, reason=given.reason, actor=call.actor)
    ),
    writes=True,
)
