"""What was replaced or promised, and the review queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.core.errors import NotFound, UsageError
from hearth.core.instants import show_date_or_none
from hearth.core.lazy import dataclass
from hearth.operations import render, state
from hearth.operations.arguments import Arguments, OneOf, about, text, whole
from hearth.operations.operation import Operation, Request, Route, Tool
from hearth.operations.shapes import ANYTHING, FLAG, INSTANT, STANDING, TEXT, TEXTS, WHOLE, listed, maybe, obj, ref
from hearth.operations.state import Reasoned
from hearth.pages.dream.dreamer import find_leaving
from hearth.pages.dream.pages import LeavingItem
from hearth.truth.commitments import Commitment
from hearth.truth.review import ApprovalReport, PendingMemory, ReviewCase, ReviewSide
from hearth.truth.truth import Chain, Version

if TYPE_CHECKING:
    from hearth.truth.commitments import Commitment
    from hearth.truth.duplicates import DoubleName
    from hearth.truth.review import ApprovalReport, PendingMemory, ReviewCase, ReviewOutcome

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
    settled: ReviewOutcome | None = None
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
        data = {"names": names, "leaving": [one.to_dict() for one in self.leaving], **pending}
        return {"waiting": self.waiting, "entries": [case.to_dict() for case in self.cases], **data, **decided}


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


def render_history(result: Chain, given: Arguments) -> str:
    lines = [_version(result, one) for one in result.versions]
    lines += [f"{edge.kind}: {render.name(edge.other)}" for edge in result.edges]
    return "Oldest first; > is the one asked for.\n" + "\n".join(lines)


def render_review(result: Reviewed, given: Arguments) -> str:
    if result.settled is not None:
        done = result.settled
        return (
            f"Settled {done.case.entry.id}: {done.decision}\nTo take it back: memory_undo with event {done.events[-1]}"
        )
    if result.approval is not None:
        return _approved(result.approval)
    names = [f"May be one name: {render.line(one.name)} | {render.line(one.like)}" for one in result.names]
    leaving = [f"Would leave MEMORY.md: {render.line(one.text)} ({render.line(one.why)})" for one in result.leaving]
    if not (result.cases or names or leaving or result.pending):
        return "Nothing waits for a decision."
    shown = [_case(case) for case in result.cases]
    if result.pending:
        head = f"Captured, not yet approved: {result.unapproved}. Accept or reject each as the person wants it."
        shown.append("\n".join([head, *map(_pending, result.pending)]))
    if names:
        shown.append("\n".join([*names, "memory_names says so: merge, or split where they are two."]))
    if leaving:
        commands = dict.fromkeys(one.command for one in result.leaving)
        shown.append("\n".join([*leaving, f"The person lets them go: {', '.join(commands)}"]))
    return "\n\n".join(shown)


def _approved(done: ApprovalReport) -> str:
    count = len(done.docids)
    memories = f"{count} {'memory' if count == 1 else 'memories'}"
    verb = "Accepted" if done.verdict == "accept" else "Rejected"
    if done.run is not None:
        return f"{verb} {memories}.{render.undo_by_run(done.run)}"
    back = f"\nTo take it back: memory_undo with event {done.events[-1]}" if done.events else ""
    return f"{verb} {memories}.{back}"


def _pending(one: PendingMemory) -> str:
    about = f"{one.content_type}, #{one.docid}, {show_date_or_none(one.since)}, session {render.line(one.session)}"
    quote = f"\n   from: {render.line(one.quote)}" if one.quote else ""
    return f"{one.number}. {about}\n> {render.line(one.said)}{quote}"


def _case(case: ReviewCase) -> str:
    entry = case.entry
    sure = "" if entry.confidence is None else f", {entry.confidence:.2f} sure"
    why = f": {render.line(entry.why)}" if entry.why else ""
    decided = "" if entry.decision is None else f" (decided: {entry.decision})"
    sides = [_side("newer", case.newer), _side("older", case.older)]
    return "\n".join([f"{case.number}. [{entry.id}] {entry.relation}{sure}{why}{decided}", *sides])


def _side(name: str, side: ReviewSide | None) -> str:
    if side is None:
        return f"   {name}: gone"
    about = f"{show_date_or_none(side.dated_at)}, {render.line(side.source)}, #{side.docid}"
    return f"   {name} ({about}):\n> {render.line(side.said)}"


def render_commitments(result: Promises, given: Arguments) -> str:
    if not result.commitments:
        return "Nothing promised is open."
    return "\n".join(_promise(one) for one in result.commitments)


def _promise(one: Commitment) -> str:
    when = "no day" if one.due_at is None else f"due {show_date_or_none(one.due_at)}"
    if one.state != "open":
        when = one.state
    elif one.overdue:
        when = f"OVERDUE since {show_date_or_none(one.due_at)}"
    owner = "" if one.owner is None else f", owed by {one.owner}"
    return f"{when}{owner} (#{one.docid})\n> {render.line(one.said)}"


def _version(chain: Chain, one: Version) -> str:
    document, validity = one.stored.document, one.validity
    until = chain.show(validity.valid_to) if validity.hidden else "now"
    head = f"{'>' if one.focus else ' '} {chain.show(validity.valid_from)} to {until}  "
    head += f"{render.place(document.collection, document.path)} | {render.line(document.title)} (#{document.docid})"
    if validity.hidden:
        head += f", {validity.label()}"
    elif validity.status:
        head += f", status: {validity.status}"
    quote = [f"  > {render.line(one.said)}"] if one.said else []
    why = [f"  why: {render.line(str(one.why['reason']))}"] if one.why.get("reason") else []
    return "\n".join([head, *quote, *why])


QUEUE = Operation(
    "review",
    "What waits for a decision",
    "Pairs of documents that may not both be true, and captured memories that wait for approval.",
    Arguments,
    _GIVES,
    _list_open,
    routes=(Route("GET", "/review"),),
)
REVIEW = Operation(
    "settle",
    "Review",
    "List contradictions and captured memories that wait for a decision, show one, or settle it.",
    Review,
    _GIVES,
    _review,
    writes=True,
    words=render_review,
    tools=(Tool("memory_review", "entry decision session all reason"),),
    routes=(Route("POST", "/review", "entry decision session all reason"),),
    command="review",
)


class About(Arguments):
    reference: Annotated[str, text("Which document: its docid (#… from any result) or collection/path.", 4_096)]


_PLACE = dict.fromkeys(("docid", "collection", "path", "title", "content_type", "said"), TEXT)

HISTORY = Operation(
    "history",
    "What replaced what",
    "Show what a document superseded and what superseded it, oldest first, with dates and reasons.",
    About,
    obj(
        {
            "versions": listed(obj({**_PLACE, **STANDING, "focus": FLAG, "why": ANYTHING}), "The oldest first."),
            "edges": listed(ANYTHING, "Other documents that it contradicts or refines."),
        }
    ),
    lambda call, given: call.vault.truth.chain(given.reference),
    words=render_history,
    tools=(Tool("memory_history"),),
    routes=(Route("GET", "/documents/{docid}/history"),),
)


class Promised(Arguments):
    due: Annotated[int | None, whole("Only commitments due within this many days, or overdue.", 0, 3_650)] = None
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
    "List open commitments, most urgent first: by whom, until when.",
    Promised,
    obj({"commitments": listed(ANYTHING, "The most urgent first."), "now": INSTANT}),
    _list,
    words=render_commitments,
    tools=(Tool("memory_commitments"),),
    routes=(Route("GET", "/commitments"),),
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
    words=state.render_change,
    routes=(Route("POST", "/commitments/{docid}/done"),),
    command="commitments",
)
