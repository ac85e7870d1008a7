"""What may not both be true, and what was decided of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.engine.dream.leaving import LeavingItem, find_leaving
from hearth.errors import UsageError
from hearth.lazy import dataclass
from hearth.server.operations.arguments import Arguments, OneOf, text
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import ANYTHING, TEXT, TEXTS, WHOLE, listed, maybe, obj
from hearth.server.operations.state import Reasoned

if TYPE_CHECKING:
    from hearth.engine.truth.doubles import DoubleName
    from hearth.engine.truth.review import ReviewCase, Settled

DECISIONS = ("keep-new", "keep-old", "both", "merge")
_MOST = 10


class Review(Reasoned):
    entry: Annotated[str | None, text("Which: its number in the list, or its id; without it, all are listed.", 32)] = (
        None
    )
    decision: Annotated[
        str | None,
        OneOf(*DECISIONS),
        text("With entry: which holds; merge where both say the same. Only as the person wants it.", 16),
    ] = None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """``waiting`` counts the pairs that wait, ``cases`` are the first of them or the one asked for; ``names`` may be
    one, ``leaving`` would go from ``MEMORY.md`` at once."""

    waiting: int
    cases: tuple[ReviewCase, ...]
    settled: Settled | None = None
    names: tuple[DoubleName, ...] = ()
    leaving: tuple[LeavingItem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        done = self.settled
        decided = {
            "decision": None if done is None else done.decision,
            "events": [] if done is None else list(done.events),
        }
        names = [one.to_dict() for one in self.names]
        told = {"names": names, "leaving": [one.to_dict() for one in self.leaving]}
        return {"waiting": self.waiting, "entries": [case.to_dict() for case in self.cases], **told, **decided}


def _review(call: Request, given: Review) -> Reviewed:
    truth = call.vault.truth
    if given.entry is None:
        if given.decision is not None:
            raise UsageError("a decision needs entry: which of those that wait")
        return _list_open(call, Arguments())
    if given.decision is None:
        return Reviewed(len(truth.reviews()), (truth.review(given.entry),))
    done = truth.decide(given.entry, given.decision, reason=given.reason, actor=call.actor)
    return Reviewed(len(truth.reviews()), (done.case,), done)


def _list_open(call: Request, given: Arguments) -> Reviewed:
    vault = call.vault
    cases, leaving = vault.truth.reviews(), find_leaving(vault.dream)
    return Reviewed(len(cases), tuple(cases[:_MOST]), None, tuple(vault.truth.doubles()), tuple(leaving[:_MOST]))


_DOUBLE = obj({"name": TEXT, "like": TEXT})
_GIVES = obj(
    {
        "waiting": WHOLE,
        "entries": listed(ANYTHING, "The newest first, 10 at most: both texts, each with source and date."),
        "decision": maybe({"type": "string"}),
        "events": TEXTS | {"description": "Journal events, each of which can be taken back."},
    },
    {
        "names": listed(_DOUBLE, "Names that may be one by a slip of the hand: merge or split them as entities."),
        "leaving": listed(ANYTHING, "What would leave MEMORY.md at once, 10 at most; a person lets it by command."),
    },
)
QUEUE = Operation(
    "review", "What may not both be true", "Pairs of documents that wait for a decision.", Arguments, _GIVES, _list_open
)
REVIEW = Operation(
    "settle",
    "Settle what may not both be true",
    "List pairs of documents that may not both be true, show one, or settle it.",
    Review,
    _GIVES,
    _review,
    writes=True,
)
