"""Capture: what sessions said becomes documents, once each, however often it is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import field
from typing import Any

from hearth.capture import batches
from hearth.capture.batches import (
    CaptureBatch,
    CaptureReport,
    CaptureStatus,
    HandoverReceipt,
    Waiting,
    is_shared,
    list_passed_over,
    retract,
)
from hearth.capture.handoff import TurnText
from hearth.capture.requests import Triggers
from hearth.capture.work import CaptureWork, captured, pending
from hearth.capture.worker import Rereader, Worker
from hearth.core.errors import Conflict, HearthError, NotFound, Remedy, Unavailable
from hearth.core.instants import DAY_MS
from hearth.core.journal import Changed
from hearth.core.lazy import dataclass
from hearth.core.session import Sighting
from hearth.memory import memories, session_log
from hearth.memory.changer import Changer
from hearth.ports import Clock
from hearth.ports.files import NoPrivacy, Privacy
from hearth.vault.history import History, read_position

SAID = "conversation"
_END = Remedy("incognito off", lead="end that with: ")
_HANDED_OVER_MS = 7 * DAY_MS
_WAIT = 20.0
"""Seconds in which work in the background ends as a rule."""


@dataclass(frozen=True)
class Capture:
    """What is to be done follows from the journal: how far the turns of this machine reached, and how far they were
    captured. ``lease`` is held by one process at a time; it waits so many seconds and raises ``Unavailable``."""

    history: History
    worker: Worker
    rereader: Rereader
    state: Callable[[], Changer]
    machine: str
    clock: Clock
    lease: Callable[[float], AbstractContextManager[None]]
    prepare: Callable[[], None]
    privacy: Privacy = field(default_factory=NoPrivacy)
    _waiting: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __call__(
        self,
        sighting: Sighting | str,
        turns: Sequence[TurnText | tuple[str, str]],
        *,
        end: bool = False,
        turn: str | None = None,
        urgent: bool = False,
    ) -> HandoverReceipt:
        """Takes turns of a session whose host writes no transcript, each with its role (``user`` or ``assistant``) and
        text; they are on the disk on return, without secrets, and captured as any others. ``end`` says that the
        session is over. What comes a second time under the name ``turn`` as the last of its session is not taken again;
        what is ``urgent`` is captured at once.

        Raises ``UsageError`` for a session without a name, no turns, too many or too long ones, ``Conflict`` for one
        that is incognito."""
        seen = Sighting(sighting) if isinstance(sighting, str) else sighting
        off = self.privacy.find_off(seen.session, seen.cwd)
        if off.capture:
            end_by = None if off.agent else _END
            raise Conflict(f"nothing from this session is kept: {seen.session[:80]!r}: {off.why}", end_by)
        spoken = [one if isinstance(one, TurnText) else TurnText(*one) for one in turns]
        session = self.worker.handover.take(seen, spoken, end=end, turn=turn, urgent=urgent)
        rules = self.worker.choices.rules
        [due_at] = [rules.due_at(work) for work in self._pending() if work.session == session] or [None]
        return HandoverReceipt(session, len(turns), due_at)

    def status(self) -> CaptureStatus:
        """What waits, and until when."""
        choices = self.worker.choices
        waiting = [Waiting(w.session, w.turns, w.first, choices.rules.due_at(w)) for w in self._pending()]
        faults = Triggers.of(choices.patterns).faults
        with self.history.store.read() as reader:
            passed = list_passed_over(reader, self.machine)
        unread = len(self.rereader.waiting())
        return CaptureStatus(choices.rules.mode, choices.conversations, waiting, faults, unread, passed)

    def due(self) -> bool:
        """Whether there is something to do now."""
        return self.due_in() == 0

    def due_in(self) -> float | None:
        """Seconds until there is something to do; ``None`` where nothing waits for a moment."""
        moments = [at for work in self._pending() if (at := self.worker.choices.rules.due_at(work)) is not None]
        waits = [max(0.0, (min(moments) - self.clock()) / 1000)] if moments else []
        again = self.rereader.due_in()
        return min(waits if again is None else [*waits, again], default=None)

    def run(self, *, everything: bool = False, session: str | None = None, patient: bool = True) -> CaptureReport:
        """Does what is due; with ``everything``, or of the ``session`` that is named, also what is not due yet. A
        session that fails is reported and comes again; the others go on. Unless ``patient``, no language model is
        asked: it reads what was captured later; and whoever else captures is not waited for.

        Raises ``Unavailable`` while another process works in the background, ``NotFound`` and ``Ambiguous`` for the
        session."""
        wanted = None if session is None else self._find(session)
        with self.lease(_WAIT if patient else 0):
            return self.run_leased(everything=everything or wanted is not None, session=wanted, patient=patient)

    def run_leased(
        self, *, everything: bool = False, session: str | None = None, patient: bool = True
    ) -> CaptureReport:
        """As ``run``, for who holds the lease; ``session`` is a whole name."""
        self.prepare()
        found = [work for work in self._pending() if session in (None, work.session)]
        due = [work for work in found if everything or self._is_due(work)]
        turns, taken_back, problems = 0, 0, []
        left_out: list[str] = []
        unread: list[str] = []
        documents: dict[str, None] = {}
        for work in due:
            try:
                kept = self.worker.capture(work, patient=patient)
                documents |= dict.fromkeys(kept.documents)
                left_out += kept.left_out
                turns += kept.turns
                taken_back += kept.taken_back
                unread += kept.unread
            except HearthError as error:
                problems.append((work.session, error.said))
        done, waiting = len(due) - len(problems), len(found) - len(due)
        problems += self.worker.expire()
        with suppress(Unavailable):  # it stays to be made up for
            self.worker.distiller.memories.follow.catch_up(patient=False)
        if patient:
            again, failed = self.rereader.run()
            documents |= dict.fromkeys(again.documents)
            left_out += again.left_out
            unread += again.unread
            problems += failed
        self._drop_handed_over()
        return CaptureReport(
            done,
            turns,
            tuple(documents),
            tuple(left_out),
            waiting,
            tuple(problems),
            tuple(dict.fromkeys(unread)),
            taken_back,
        )

    def show(self, session: str | None = None, limit: int = 20) -> list[CaptureBatch]:
        """What was captured, the latest piece first; of one session or of all. Raises ``NotFound``, ``Ambiguous``."""
        self.prepare()
        wanted = None if session is None else self._find(session)
        with self.history.store.read() as reader:
            names = [wanted] if wanted is not None else batches.latest(reader)[:limit]
            found = [batch for name in names for batch in batches.of_session(reader, name)]
        return sorted(found, key=lambda batch: (-batch.at, batch.id))[:limit]

    def so_far(self, transcript: str, end: int, project: str | None, cwd: str | None) -> str:
        """What a session is about up to the byte ``end`` of its transcript, as markdown; empty where nothing was said,
        or where nothing is to be kept of its project or folder. Raises as ``Transcripts.read``."""
        worker = self.worker
        return "" if worker.choices.excludes(project, cwd) else worker.distiller.so_far(transcript, end)

    def undo(self, reference: str, actor: str = "human") -> list[Changed]:
        """Forgets the memories of a piece, or all that a session left behind, its conversation and hand-off included;
        out of a memory that others had part in, only what the session said is taken. Raises ``NotFound`` where there is
        nothing."""
        self.prepare()
        with self.history.store.read() as reader:
            found = batches.find_batches(reader, reference)
        whole = len(found) != 1 or found[0].id != reference
        stored = (one for batch in found for one in batch.documents if whole or one.document.content_type != SAID)
        documents = {one.document.docid: one for one in stored}
        writer = self.worker.conversations.writer
        handoff = memories.handoff(writer, found[0].session) if found and whole else None
        if not documents and handoff is None:
            lists = Remedy("capture show", lead="", more=" lists what was")
            raise NotFound(f"no memory was captured under {reference[:80]!r}", lists)
        marks = frozenset(mark for batch in found for mark in batch.marks)
        changed: list[Changed] = []
        for docid, one in documents.items():
            if not is_shared(writer, one, found[0].session, marks):
                changed.append(self.state().forget(docid, actor=actor, reason="capture undone"))
            elif retract(writer, one, found[0].session, marks):
                changed.append(Changed("reverted", docid, one.document.collection, one.document.path))
        if handoff is not None:
            changed.append(self.state().forget(handoff, actor=actor, reason="capture undone"))
        return changed

    # -- details ---------------------------------------------------------------------------------------------------

    def _drop_handed_over(self) -> None:
        """What a session says may refer to what it said before, or take it back, so what was captured stays for a
        while; not where conversations are not to be kept."""
        if not self.worker.handover.inbox.places():
            return
        until = self.clock() - (_HANDED_OVER_MS if self.worker.choices.conversations else -1)
        with self.history.store.read() as reader:
            done = captured(reader, self.machine, until)
        waiting = {work.transcript for work in self._pending()} | {one.transcript for one in self.rereader.waiting()}
        done = {transcript: end for transcript, end in done.items() if transcript not in waiting}
        with suppress(Unavailable):  # another run does it
            self.worker.handover.drop(done)

    def _pending(self) -> list[CaptureWork]:
        """Read again where the journal went on: who waits for a moment asks more often than something happens."""
        with self.history.store.read() as reader:
            position = read_position(reader)
            if self._waiting.get("position") != position:
                self._waiting.update(position=position, work=pending(reader, self.machine))
        work: list[CaptureWork] = self._waiting["work"]
        return work

    def _is_due(self, work: CaptureWork) -> bool:
        at = self.worker.choices.rules.due_at(work)
        return at is not None and at <= self.clock()

    def _find(self, reference: str) -> str:
        with self.history.store.read() as reader:
            return session_log.find(reader, reference)
