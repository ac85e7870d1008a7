"""The room in which memories are kept true over time. The chain of a document: what it replaced, and what replaced
it, each with why and by whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Unpack

from hearth.core import instants, subjects
from hearth.core.errors import UsageError
from hearth.core.journal import Action, Changed
from hearth.core.judgement import Validity
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.memory.changer import Targets
from hearth.memory.undo import NIGHT, Remove, Revert, UndoneRun, undo_run
from hearth.ports import Clock, Reader, StoredDocument
from hearth.truth.commitments import Commitment, commitments, draft_fulfilment
from hearth.truth.duplicates import DoubleName, find_doubles
from hearth.truth.review import ReviewCase, ReviewOutcome, check_decision, find_case, queue, settle
from hearth.vault import linking, usage_statistics
from hearth.vault.changes import Remarks
from hearth.vault.documents import read_beginning
from hearth.vault.history import History
from hearth.vault.validity import COMMITMENT, may_rule

if TYPE_CHECKING:
    from hearth.truth.consolidator import Consolidator
    from hearth.truth.review import Approvals


_LONGEST = 64
_SAID_CHARS = 160


@dataclass(frozen=True, slots=True)
class Version:
    """A document of a chain: ``said`` begins its text; ``why`` holds ``reason``, ``actor``, ``confidence`` and
    ``evidence`` of its giving way, as far as they are known."""

    stored: StoredDocument
    validity: Validity
    said: str
    focus: bool = False
    why: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        document = self.stored.document
        place = {"docid": document.docid, "collection": document.collection, "path": document.path}
        about = {"title": document.title, "content_type": document.content_type, "said": self.said}
        return place | about | self.validity.to_dict() | {"focus": self.focus, "why": dict(self.why)}


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the document asked about, such as ``contradicts``; ``other`` is a docid or what else it leads to."""

    kind: str
    other: str
    about: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "other": self.other, **self.about}


@dataclass(frozen=True, slots=True)
class Chain:
    """``versions`` from the oldest to the newest."""

    versions: tuple[Version, ...]
    edges: tuple[Edge, ...] = ()

    def show(self, instant: int | None) -> str:
        """The UTC date; with the time where the chain holds another moment of that day, unless a date is all that is
        known."""
        if instant is None or instants.is_date_only(instant):
            return instants.show_date_or_none(instant)
        moments = {moment for one in self.versions for moment in (one.validity.valid_from, one.validity.valid_to)}
        day = instants.show_date(instant)
        alone = all(other is None or other == instant or instants.show_date(other) != day for other in moments)
        return day if alone else instants.show(instant)

    def to_dict(self) -> dict[str, Any]:
        return {"versions": [v.to_dict() for v in self.versions], "edges": [e.to_dict() for e in self.edges]}


def chain(reader: Reader, stored: StoredDocument, now: int) -> Chain:
    """``now`` is ms UTC."""
    docid = stored.document.docid
    newer = _newer(reader, stored)
    older = _older(reader, stored)
    line = [*reversed(older), stored, *newer]
    versions = tuple(_version(reader, one, now, focus=one.document.docid == docid) for one in line)
    return Chain(versions, tuple(_edges(reader, docid)))


def _newer(reader: Reader, stored: StoredDocument) -> list[StoredDocument]:
    found: list[StoredDocument] = []
    seen = {stored.document.docid}
    current: StoredDocument | None = stored
    while current is not None and len(found) < _LONGEST:
        by = current.state.superseded_by or linking.successor(reader, current.document.docid)
        current = None if by is None or by in seen else reader.document(by)
        if current is not None and by is not None:
            seen.add(by)
            found.append(current)
    return found


def _older(reader: Reader, stored: StoredDocument) -> list[StoredDocument]:
    """The latest first, whatever it was that replaced it."""
    found: dict[str, StoredDocument] = {}
    waiting = [stored.document.docid]
    while waiting and len(found) < _LONGEST:
        name = waiting.pop(0)
        below, behind = linking.find_superseded(reader, name), linking.predecessors(reader, name)
        for other in sorted({*below, *behind}):
            one = reader.document(other)
            fits = one is not None and (one.state.superseded_by is not None or other in behind) and other not in found
            if one is not None and fits and other != stored.document.docid:
                found[other] = one
                waiting.append(other)
    return sorted(found.values(), key=lambda one: (-(one.document.valid_from or 0), one.document.docid))


def _version(reader: Reader, stored: StoredDocument, now: int, *, focus: bool) -> Version:
    document, state = stored.document, stored.state
    why: dict[str, Any] = {}
    if state.superseded_by is not None:
        why = _why(reader, document.docid) or {"reason": "the newer one's file says so"}
    elif linking.successor(reader, document.docid) is not None:
        why = {"reason": "their statuses show it"}
    return Version(stored, Validity.of(document, state, now), read_beginning(reader, stored, _SAID_CHARS), focus, why)


def _why(reader: Reader, docid: str) -> dict[str, Any]:
    for name in usage_statistics.former(reader, docid):
        registers = reader.registers(name, "superseded")
        if registers.get(linking.FIELD) is not None:
            return dict(registers.get("superseded_why") or {})
    return {}


def _edges(reader: Reader, docid: str) -> list[Edge]:
    found: dict[tuple[str, str], Any] = {}
    for name in usage_statistics.former(reader, docid):
        for register, value in reader.registers(name, subjects.RELATION).items():
            found.setdefault(subjects.read_relation(register), value)
    return [Edge(kind, other, value) for (kind, other), value in sorted(found.items()) if isinstance(value, dict)]


@dataclass(frozen=True)
class Truth:
    """What changes something journals why and by whom, as ``Changer`` does. ``prepare`` brings an index of another
    version up to date; ``consolidate`` gives what unites memories, ``retract`` takes back what a
    piece of a session left behind, by its name and who does so, ``wake`` what a night did to the page, ``revert`` what
    an import changed in a file, ``remove`` the files that it wrote; ``settle_days`` is called with documents of which
    one gave way."""

    history: History
    targets: Targets
    clock: Clock
    zone: str
    prepare: Callable[[], None]
    consolidate: Callable[[], Consolidator]
    retract: Callable[[str, str], Sequence[Changed]]
    wake: Callable[[str], UndoneRun]
    revert: Revert
    remove: Remove
    approve: Callable[[], Approvals]
    settle_days: Callable[[Iterable[str]], object]

    def chain(self, reference: str) -> Chain:
        """What a document replaced and what replaced it, from the oldest to the newest. Raises ``NotFound`` or
        ``Ambiguous`` for the reference."""
        self.prepare()
        stored = self.targets.one(reference, described=False)
        with self.history.store.read() as reader:
            return chain(reader, stored, self.clock())

    def reviews(self) -> list[ReviewCase]:
        """What waits for a decision and matters, the newest first, with both texts."""
        self.prepare()
        with self.history.store.read() as reader:
            return queue(reader, self.clock())

    def doubles(self) -> list[DoubleName]:
        """Names that may be one by a slip of the hand."""
        self.prepare()
        with self.history.store.read() as reader:
            return find_doubles(reader, self.clock())

    def review(self, name: str) -> ReviewCase:
        """One of them, by its number or its id, also when it is decided. Raises ``NotFound``."""
        self.prepare()
        with self.history.store.read() as reader:
            return find_case(reader, name.strip(), self.clock())

    def decide(self, name: str, decision: str, **remarks: Unpack[RemarkOptions]) -> ReviewOutcome:
        """Settles one: ``keep-new``, ``keep-old``, ``both`` or ``merge``. Raises ``UsageError`` for another decision,
        ``NotFound``, and ``Conflict`` for what is decided."""
        metadata, chosen = Remarks(**remarks).data(), check_decision(decision)
        self.prepare()
        done = settle(self.history, name.strip(), chosen, self.clock(), metadata)
        self.settle_days((done.case.entry.newer, done.case.entry.older))
        return done

    def commitments(self, due: int | None = None, *, closed: bool = False) -> list[Commitment]:
        """What was promised and is open, the most urgent first; with ``due`` what is due within so many days or
        overdue, with ``closed`` also what was kept and what lapsed."""
        self.prepare()
        with self.history.store.read() as reader:
            return commitments(reader, self.clock(), self.zone, due=due, closed=closed)

    def fulfil(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Says that a commitment was kept. Raises ``UsageError`` for a document that is none."""
        metadata = Remarks(**remarks).data()
        self.prepare()
        stored = self.targets.one(reference, described=False)
        document = stored.document
        if document.content_type != COMMITMENT or not may_rule(document):
            what = document.content_type if document.content_type != COMMITMENT else "promise of others"
            raise UsageError(f"{document.place} is not a commitment but a {what}")
        with self.history.store.read() as reader:
            drafts = []
            if stored.state.fulfilled_at is None:
                drafts = draft_fulfilment(reader, self.history, stored, self.clock(), None, metadata)
        events = tuple(self.history.record(drafts))
        action: Action = "fulfilled" if drafts else "unchanged"
        return Changed(action, document.docid, document.collection, document.path, events)

    @property
    def approvals(self) -> Approvals:
        """The captured memories that wait for a person."""
        return self.approve()

    @property
    def consolidator(self) -> Consolidator:
        return self.consolidate()

    def undo_run(self, run: str, **remarks: Unpack[RemarkOptions]) -> UndoneRun:
        """Takes back what one sweep, consolidation, capture, import or night did, but for what was changed since.

        Raises ``NotFound`` where nothing of such a run is left to take back."""
        metadata = Remarks(**remarks).data()
        self.prepare()
        if run.strip().startswith(NIGHT):
            return self.wake(run.strip())
        actor = str(metadata.get("actor", "program"))
        retract = lambda batch: self.retract(batch, actor)  # noqa: E731
        return undo_run(self.history, run.strip(), metadata, retract, self.revert, self.remove)
