"""The room in which memories are kept true over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack

from hearth.core.errors import UsageError
from hearth.core.journal import Action, Changed
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.memory.changer import Targets
from hearth.memory.undo import NIGHT, Remove, Revert, UndoneRun, undo_run
from hearth.ports import Clock
from hearth.truth.chain import Chain, chain
from hearth.truth.commitments import Commitment, commitments, draft_fulfilment
from hearth.truth.duplicates import DoubleName, find_doubles
from hearth.truth.review import ReviewCase, ReviewOutcome, check_decision, find_case, queue, settle
from hearth.vault.changes import Remarks
from hearth.vault.history import History
from hearth.vault.validity import COMMITMENT, may_rule

if TYPE_CHECKING:
    from hearth.truth.approval import Approvals
    from hearth.truth.consolidator import Consolidator


@dataclass(frozen=True)
class Truth:
    """What changes something journals why and by whom, as ``Changer`` does. ``prepare`` brings an index of another
    version up to date; ``consolidate`` gives what unites memories, ``retract`` takes back what a
    piece of a session left behind, by its name and who does so, ``wake`` what a night did to the page, ``revert`` what
    an import changed in a file, ``remove`` the files that it wrote."""

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
        return settle(self.history, name.strip(), chosen, self.clock(), metadata)

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
