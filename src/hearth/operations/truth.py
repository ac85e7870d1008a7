"""What was replaced or promised, and the review queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.core.errors import NotFound, UsageError
from hearth.core.lazy import dataclass
from hearth.operations import state
from hearth.operations.arguments import Arguments, OneOf, about, text, whole
from hearth.operations.operation import Operation, Request
from hearth.operations.shapes import ANYTHING, FLAG, INSTANT, STANDING, TEXT, TEXTS, WHOLE, listed, maybe, obj, ref
from hearth.operations.state import Reasoned
from hearth.pages.dream.pages import LeavingItem, find_leaving

if TYPE_CHECKING:
    from hearth.truth.approval import ApprovalReport, PendingMemory
    from hearth.truth.commitments import Commitment
    from hearth.truth.duplicates import DoubleName
    from hearth.truth.review import ReviewCase, Settled

DECISIONS = ("keep-new", "keep-old", "both", "merge")
VERDICTS = ("accept", "reject")
_MOST = 10


class Review(Reasoned):
    entry: Annotated[
        str | None, text("Which: its number in the list, its id or docid; without it, all are listed.", 32)
    ] = None
    decision: Annotated[
        str | None,
        OneOf(*DECISIONS, *VERDICTS),
        text(
            "Of two documents: which holds, or merge where both say the same. Of captured memories: accept or reject. "
            "Only as the person wants it.",
            16,
        ),
    ] = None
    session: Annotated[
        str | None, text("Accept or reject all captured memories of this session, instead of entry.", 200)
    ] = None
    all: Annotated[bool, about("Accept or reject all captured memories that wait (default false).")] = False


@dataclass(frozen=True, slots=True)
class Reviewed:
    """``waiting`` counts the pairs that wait, ``cases`` are the first of them or the one asked for; ``names`` may be
    one, ``leaving`` would go from ``MEMORY.md`` at once. ``pending`` are captured memories, ``unapproved`` counts
    them."""

    waiting: int
    cases: tuple[ReviewCase, ...]
    settled: Settled | None = None
    names: tuple[DoubleName, ...] = ()
    leaving: tuple[LeavingItem, ...] = ()
    pending: tuple[PendingMemory, ...] = ()
    unapproved: int = 0
    approval: ApprovalReport | None = None

    def to_dict(self) -> dict[str, Any]:
        done, approval = self.settled, self.approval
        decided: dict[str, Any] = {"decision": None, "events": []}
        if done is not None:
            decided = {"decision": done.decision, "events": list(done.events)}
        if approval is not None:
            decided = {"decision": approval.verdict, "events": list(approval.events), "run": approval.run}
        names = [one.to_dict() for one in self.names]
        pending = {"unapproved": self.unapproved, "pending": [one.to_dict() for one in self.pending]}
        told = {"names": names, "leaving": [one.to_dict() for one in self.leaving], **pending}
        return {"waiting": self.waiting, "entries": [case.to_dict() for case in self.cases], **told, **decided}


def _review(call: Request, given: Review) -> Reviewed:
    truth = call.vault.truth
    if given.decision in VERDICTS:
        return _approve(call, given, given.decision)
    if given.session is not None or given.all:
        raise UsageError("session and all go with the decisions accept and reject")
    if given.entry is None:
        if given.decision is not None:
            raise UsageError("a decision needs entry: which of those that wait")
        return _list_open(call, Arguments())
    if given.decision is None:
        return _show(call, given.entry)
    done = truth.decide(given.entry, given.decision, reason=given.reason, actor=call.actor)
    return Reviewed(len(truth.reviews()), (done.case,), done)


def _approve(call: Request, given: Review, verdict: str) -> Reviewed:
    truth = call.vault.truth
    names = () if given.entry is None else (given.entry,)
    done = truth.approvals.settle(
        verdict, names, session=given.session, everything=given.all, reason=given.reason, actor=call.actor
    )
    return Reviewed(len(truth.reviews()), (), unapproved=len(truth.approvals.pending()), approval=done)


def _show(call: Request, entry: str) -> Reviewed:
    truth = call.vault.truth
    cases, pending = truth.reviews(), truth.approvals.pending()
    try:
        return Reviewed(len(cases), (truth.review(entry),), unapproved=len(pending))
    except NotFound:
        found = truth.approvals.find(entry)
    return Reviewed(len(cases), (), pending=(found,), unapproved=len(pending))


def _list_open(call: Request, given: Arguments) -> Reviewed:
    vault = call.vault
    cases, leaving = vault.truth.reviews(), find_leaving(vault.dream)
    pending = vault.truth.approvals.pending()
    return Reviewed(
        len(cases),
        tuple(cases[:_MOST]),
        names=tuple(vault.truth.doubles()),
        leaving=tuple(leaving[:_MOST]),
        pending=tuple(pending[:_MOST]),
        unapproved=len(pending),
    )


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
        "unapproved": WHOLE | {"description": "Captured memories that wait for approval."},
        "pending": listed(ANYTHING, "The newest of them first, 10 at most: what each says, its quote and session."),
        "run": maybe(TEXT) | {"description": "What undoes it all at once."},
        "leaving": listed(ANYTHING, "What would leave MEMORY.md at once, 10 at most; a person lets it by command."),
    },
)
QUEUE = Operation(
    "review",
    "What waits for a decision",
    "Pairs of documents that may not both be true, and captured memories that wait for approval.",
    Arguments,
    _GIVES,
    _list_open,
)
REVIEW = Operation(
    "settle",
    "Review",
    "List what waits for a decision (pairs that may not both be true, captured memories), show one, or decide it.",
    Review,
    _GIVES,
    _review,
    writes=True,
)


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
