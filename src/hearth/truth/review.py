"""The review queue: pairs of documents that may not both be true, shown with both texts, and settled by a person.
Captured memories that wait for a person: listed, approved and rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, Unpack

from hearth.core import subjects
from hearth.core.document import VEILS, Document
from hearth.core.errors import Conflict, NotFound, Unavailable, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.journal import Decision, Draft, ReviewEntry
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, Merge
from hearth.core.query import RemarkOptions
from hearth.graph.causes import draft_causes
from hearth.memory import reviews, undo
from hearth.memory.archive import find_hidden
from hearth.memory.memories import Follow
from hearth.memory.reviews import list_reviews
from hearth.ports import Clock, Reader, StoredDocument
from hearth.vault import validity
from hearth.vault.changes import Remarks
from hearth.vault.documents import read_beginning
from hearth.vault.history import History

_TEXT_CHARS = 600
_MAX_SOURCE_CHARS = 1_000
MOST = 10
"""So many are shown at a time."""
_LIGHT = frozenset({"observation", "deduction"})
_EDGES = ("contradicts", "refines")


@dataclass(frozen=True, slots=True)
class ReviewSide:
    """One of the two texts, with where it comes from."""

    docid: str
    collection: str
    path: str
    title: str
    said: str
    dated_at: int | None
    source: str
    trust: str

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """An entry of the queue with both its sides; a side whose document is gone is ``None``."""

    number: int
    entry: ReviewEntry
    newer: ReviewSide | None
    older: ReviewSide | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        entry = self.entry
        names = ("relation", "confidence", "why", "evidence", "asked_at", "decision", "decided_at")
        about = {name: getattr(entry, name) for name in names}
        sides = {"newer": self.newer, "older": self.older}
        data = {name: None if side is None else side.to_dict() for name, side in sides.items()}
        return {"number": self.number, "id": entry.id, **about, **data}


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """``events`` are the ids for ``undo``; undoing the last takes all back."""

    case: ReviewCase
    decision: Decision
    events: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"decision": self.decision, "case": self.case.to_dict(), "events": list(self.events)}


def queue(reader: Reader, now: int) -> list[ReviewCase]:
    """What waits for a decision and matters, the newest first; what nobody could decide any more, since one of the two
    is gone or hidden, is left out."""
    waiting = [entry for entry in list_reviews(reader, now) if entry.open]
    found: list[ReviewCase] = []
    for entry in sorted(waiting, key=lambda one: -one.asked_at):
        pair = [one for one in (reader.document(entry.newer), reader.document(entry.older)) if one is not None]
        if len(pair) == 2 and not any(one.state.hidden for one in pair) and any(_matters(one) for one in pair):
            found.append(_case(reader, len(found) + 1, entry))
    return found


def _matters(stored: StoredDocument) -> bool:
    """Whether a person is asked about it: not about what was only observed or concluded, which runs out by itself."""
    return stored.document.content_type not in _LIGHT


def find_case(reader: Reader, name: str, now: int) -> ReviewCase:
    """By its number in the queue, or by its id. Raises ``NotFound``."""
    cases = queue(reader, now)
    if name.isdigit() and 0 < int(name) <= len(cases):
        return cases[int(name) - 1]
    for case in cases:
        if case.entry.id == name.lower():
            return case
    entry = next((entry for entry in list_reviews(reader, now) if entry.id == name.lower()), None)
    if entry is None:
        raise NotFound(f"nothing in the review queue matches {name[:32]!r}; list the queue to see its items")
    return _case(reader, 0, entry)


def plan(
    reader: Reader, history: History, case: ReviewCase, decision: Decision, metadata: Mapping[str, Any]
) -> list[Draft]:
    """The events of a decision. ``keep-new`` and ``merge`` replace the older one, ``keep-old`` the newer one; ``merge``
    also keeps what both were taken from, and only links two files that gather facts; ``both`` takes back the doubt.
    Raises ``Conflict`` for what is decided, and ``NotFound`` where a document is gone."""
    entry = case.entry
    if entry.decision is not None and entry.decided_at is not None:
        raise Conflict(f"{entry.id} is already decided: {entry.decision}; undo that first")
    newer, older = reader.document(entry.newer), reader.document(entry.older)
    if newer is None or older is None:
        raise NotFound("one of the two documents is gone, so there is nothing to decide")
    drafts = [_decide(newer, entry, decision, metadata)]
    if decision == "both":
        return drafts + _doubt_taken_back(reader, history, newer, older, metadata)
    if decision == "merge" and CONTENT_TYPES[newer.document.content_type].merge is Merge.GATHER:
        # Each of the two holds facts of its own: none goes out of sight.
        return [*drafts, _same(newer, older, metadata), _same(older, newer, metadata)]
    loser, winner = (newer, older) if decision == "keep-old" else (older, newer)
    wanted: dict[str, Any] = {"superseded_by": winner.document.docid}
    if entry.relation == "fulfils" and decision == "keep-new":
        wanted = {"fulfilled_at": newer.document.valid_from or entry.asked_at}
    drafts += history.draft_change(reader, loser.document, wanted, metadata)
    if decision == "merge":
        drafts += merge_sources(winner, loser, metadata) + draft_tags(reader, history, winner, [loser], metadata)
    return drafts


def _same(one: StoredDocument, other: StoredDocument, metadata: Mapping[str, Any]) -> Draft:
    document = one.document
    data = {"type": "same", "target": other.document.docid, **metadata, "was": None}
    return Draft("relate", document.docid, document.path, document.body_hash, data)


def name_source(document: Document) -> str:
    """What a memory was taken from, as the one that it is merged into keeps it."""
    return (document.facts.get("source") or document.place)[:_MAX_SOURCE_CHARS]


def merge_sources(winner: StoredDocument, loser: StoredDocument, metadata: Mapping[str, Any]) -> list[Draft]:
    """What the loser was taken from is kept with the winner."""
    data = {
        "type": "evidence",
        "target": name_source(loser.document),
        "of": loser.document.docid,
        **metadata,
        "was": None,
    }
    return [Draft("relate", winner.document.docid, winner.document.path, winner.document.body_hash, data)]


def draft_tags(
    reader: Reader,
    history: History,
    winner: StoredDocument,
    losers: Iterable[StoredDocument],
    metadata: Mapping[str, Any],
) -> list[Draft]:
    """What the losers are tagged with goes over to the winner."""
    own = set(winner.document.tags)
    taken = dict.fromkeys((*winner.state.tags, *(tag for loser in losers for tag in loser.tags)))
    wanted = [tag for tag in taken if tag not in own] or None
    return history.draft_change(reader, winner.document, {"tags": wanted}, metadata)


def check_decision(decision: str) -> Decision:
    for known in ("keep-new", "keep-old", "both", "merge"):
        if decision == known:
            return known
    raise UsageError(f"{decision[:32]!r} is not a decision; choose keep-new, keep-old, both or merge")


def settle(history: History, name: str, decision: Decision, now: int, metadata: Mapping[str, Any]) -> ReviewOutcome:
    """Journals a decision. Raises as ``find_case`` and ``plan``."""
    with history.store.read() as reader:
        case = find_case(reader, name, now)
        drafts = plan(reader, history, case, decision, metadata)
    return ReviewOutcome(case, decision, tuple(history.record(undo.together(drafts))))


def _decide(newer: StoredDocument, entry: ReviewEntry, decision: Decision, metadata: Mapping[str, Any]) -> Draft:
    document = newer.document
    data = {"older": entry.older, "decision": decision, **metadata, "was": None}
    return Draft("decide", document.docid, document.path, document.body_hash, data)


def _doubt_taken_back(
    reader: Reader, history: History, newer: StoredDocument, older: StoredDocument, metadata: Mapping[str, Any]
) -> list[Draft]:
    """Edges that say that the two clash, and the confidence that the older one lost by them."""
    drafts: list[Draft] = []
    for one, other in ((newer, older), (older, newer)):
        for register, value in reader.registers(one.document.docid, subjects.RELATION).items():
            kind, target = subjects.read_relation(register)
            if isinstance(value, dict) and kind in _EDGES[:1] and target == other.document.docid:
                data = {"type": kind, "target": target, **metadata, "was": value}
                drafts.append(Draft("unrelate", one.document.docid, one.document.path, one.document.body_hash, data))
    return drafts + reviews.draft_return(reader, history, newer.document.docid, older, metadata)


def _case(reader: Reader, number: int, entry: ReviewEntry) -> ReviewCase:
    newer, older = (_side(reader, docid) for docid in (entry.newer, entry.older))
    return ReviewCase(number, entry, newer, older)


def _side(reader: Reader, docid: str) -> ReviewSide | None:
    stored = reader.document(docid)
    if stored is None:
        return None
    document = stored.document
    return ReviewSide(
        docid=docid,
        collection=document.collection,
        path=document.path,
        title=document.title,
        said=read_beginning(reader, stored, _TEXT_CHARS),
        dated_at=document.valid_from,
        source=document.facts.get("source") or ("a person's file" if document.trust == "human" else "a memory"),
        trust=document.trust,
    )


Verdict = Literal["accept", "reject"]
_SAID_CHARS = 600
_WANTED: dict[Verdict, dict[str, Any]] = {"accept": {"approved": True}, "reject": {"forgotten": True}}
_RUN = "review-"


@dataclass(frozen=True, slots=True)
class PendingMemory:
    """A memory that waits: ``number`` in the review queue, what it says and the words that it was taken from. Instants
    are ms UTC; at ``ends_at`` it leaves searches."""

    number: int
    docid: str
    path: str
    content_type: str
    said: str
    quote: str
    tier: str
    session: str
    project: str
    since: int
    ends_at: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ApprovalReport:
    """``docids`` were accepted or rejected; ``events`` are the ids for ``undo``, ``run`` takes all of them back."""

    verdict: Verdict
    docids: tuple[str, ...]
    events: tuple[str, ...] = ()
    run: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"verdict": self.verdict, "docids": list(self.docids), "events": list(self.events), "run": self.run}


@dataclass(frozen=True)
class Approvals:
    """``cases`` counts the questions that stand before pending memories in the review queue; ``notice`` finds what
    follows from a memory that counts from now on, ``refresh`` brings the pages up to date."""

    history: History
    clock: Clock
    prepare: Callable[[], None]
    cases: Callable[[Reader], int]
    notice: Follow
    refresh: Callable[[], None]

    def pending(self, session: str | None = None) -> list[PendingMemory]:
        """What waits, the newest first; of one session or of all."""
        self.prepare()
        with self.history.store.read() as reader:
            return self._list(reader, session)

    def find(self, name: str) -> PendingMemory:
        """One that waits, by its number in the queue or its docid. Raises ``NotFound``."""
        waiting, wanted = self.pending(), name.strip().removeprefix("#").lower()
        found = next((one for one in waiting if wanted in (str(one.number), one.docid)), None)
        if found is None:
            raise _unknown(name)
        return found

    def settle(
        self,
        verdict: str,
        names: Sequence[str] = (),
        *,
        session: str | None = None,
        everything: bool = False,
        **remarks: Unpack[RemarkOptions],
    ) -> ApprovalReport:
        """Accepts or rejects memories by number or docid, all of a session, or all there are. What is accepted counts
        from now on; what is rejected is forgotten. Raises ``UsageError`` for another verdict or where nothing says
        which, ``NotFound`` for a name that nothing pending has."""
        metadata, chosen = Remarks(**remarks).data(), _check(verdict)
        if sum((bool(names), session is not None, everything)) != 1:
            raise UsageError(f"name what to {chosen}: numbers, docids, one session, or all")
        self.prepare()
        with self.history.store.read() as reader:
            docids = self._choose(reader, names, session)
            run = f"{_RUN}{docids[0]}" if len(docids) > 1 else None
            payload = metadata if run is None else {**metadata, "run": run}
            drafts = [draft for docid in docids for draft in self._draft(reader, docid, chosen, payload)]
        events = tuple(self.history.record(drafts if run is not None else undo.together(drafts)))
        if chosen == "accept":
            self._follow(docids)
        self.refresh()
        return ApprovalReport(chosen, tuple(docids), events, run)

    # -- details ---------------------------------------------------------------------------------------------------

    def _list(self, reader: Reader, session: str | None) -> list[PendingMemory]:
        now, before = self.clock(), self.cases(reader)
        waiting = [stored for stored in find_pending(reader) if not stored.state.expired(now)]
        waiting.sort(key=lambda stored: (-(validity.pending_since(stored.document) or 0), stored.document.docid))
        found = [_describe(reader, stored, before + at) for at, stored in enumerate(waiting, 1)]
        return [one for one in found if session in (None, one.session)]

    def _follow(self, docids: Sequence[str]) -> None:
        """What follows from memories that count from now on."""
        sessions: dict[str, list[str]] = {}
        with self.history.store.read() as reader:
            for docid in docids:
                stored = reader.document(docid)
                if stored is not None:
                    sessions.setdefault(stored.document.facts.get("session", ""), []).append(docid)
        for session, written in sessions.items():
            self.history.record(draft_causes(self.history.store, session, written) if session else [])
        for docid in docids:
            with suppress(Unavailable):  # it is made up for later
                self.notice(docid)

    def _choose(self, reader: Reader, names: Sequence[str], session: str | None) -> list[str]:
        if not names:
            found = [one.docid for one in self._list(reader, session)]
            if not found:
                where = "" if session is None else f" of session {session[:64]}"
                raise NotFound(f"no memory{where} is pending approval")
            return found
        numbers = {str(one.number): one.docid for one in self._list(reader, None)}
        return list(dict.fromkeys(self._find(reader, name.strip(), numbers) for name in names))

    def _find(self, reader: Reader, name: str, numbers: dict[str, str]) -> str:
        docid = numbers.get(name, name.removeprefix("#").lower())
        stored = reader.document(docid)
        if stored is None or not stored.state.pending or stored.state.forgotten:
            raise _unknown(name)
        return docid

    def _draft(self, reader: Reader, docid: str, verdict: Verdict, metadata: dict[str, Any]) -> list[Draft]:
        stored = reader.document(docid)
        if stored is None:
            return []
        return self.history.draft_change(reader, stored.document, _WANTED[verdict], metadata)


def find_pending(reader: Reader) -> Iterator[StoredDocument]:
    """What nothing but the lack of an approval keeps out of searches, also where it waited for too long."""
    others = tuple(veil for veil in VEILS[1:] if veil != "pending")
    rows = find_hidden(reader, others) - find_hidden(reader, VEILS[1:])
    yield from (stored for stored in reader.documents(sorted(rows)).values() if stored.state.veils == ("pending",))


def _describe(reader: Reader, stored: StoredDocument, number: int) -> PendingMemory:
    document, facts = stored.document, stored.document.facts
    since = validity.pending_since(document) or 0
    return PendingMemory(
        number=number,
        docid=document.docid,
        path=document.path,
        content_type=document.content_type,
        said=read_beginning(reader, stored, _SAID_CHARS) or document.title,
        quote=facts.get("evidence", ""),
        tier=facts.get("tier", ""),
        session=facts.get("session", ""),
        project=facts.get("project", ""),
        since=since,
        ends_at=since + validity.APPROVAL_MS,
    )


def _unknown(name: str) -> NotFound:
    return NotFound(f"nothing pending approval is called {name[:32]!r}; list the queue to see what is")


def _check(verdict: str) -> Verdict:
    for known in _WANTED:
        if verdict == known:
            return known
    raise UsageError(f"{verdict[:32]!r} is not a verdict; choose accept or reject")


def days_left(one: PendingMemory, now: int) -> int:
    """Days until it leaves searches, at least one."""
    return max(1, -(-(one.ends_at - now) // DAY_MS))
