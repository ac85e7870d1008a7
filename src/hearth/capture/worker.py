"""Captures one session's waiting part, and reads again what the language model could not read at first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hearth.capture import batches
from hearth.capture.batches import RemainingDocument, UnreadBatch, UnreadLines, count_unread_lines, take_back, unread
from hearth.capture.conversations import FOLDER, CaptureBatch, Conversations
from hearth.capture.distiller import Distiller, DistillReport
from hearth.capture.handoff import MOST, Handover, MemoryFinder
from hearth.capture.work import CaptureChoices, CaptureWork, pending
from hearth.core import subjects
from hearth.core.document import INTERNAL
from hearth.core.errors import BadReply, HearthError, NotFound
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.session import Session
from hearth.core.transcript import Kind, Position, Reading, TakenBack, TranscriptEntry, Watermark
from hearth.language.asking import Wish
from hearth.memory import memories
from hearth.memory.changer import Changer
from hearth.memory.session_record import Answer, SessionLog, draft_answers
from hearth.ports import Clock, Filter, Transcripts
from hearth.transcripts.typed import entries_heard, find_requests, recanted
from hearth.vault.history import History

BATCH_BYTES = 4 * 1024 * 1024
_ASKED = "the user asked to forget it"
_TAKEN_BACK = "the user undid the turn"
_KEPT = Filter((INTERNAL,), ("conversation",), include_hidden=True)


@dataclass(frozen=True, slots=True)
class Worker:
    history: History
    sessions: SessionLog
    transcripts: Transcripts
    handover: Handover
    conversations: Conversations
    distiller: Distiller
    state: Callable[[], Changer]
    choices: CaptureChoices
    clock: Clock

    def capture(self, work: CaptureWork, *, patient: bool = True) -> DistillReport:
        """``patient`` where nobody waits who did not ask for it: then a language model may be asked."""
        session = self.sessions.get(work.session).session
        written: list[str] = []
        left_out: list[str] = []
        turns: set[int] = set()
        unread: list[str] = []
        taken_back: set[int] = set()
        forgotten = False
        since = work.since
        for reading in self._read(work):
            batch = self._select(session, work, reading)
            taken_back |= self._take_back(session, batch, since, reading)
            kept = self._keep(session, batch, since, patient)
            forgotten |= bool(taken_back or recanted(batch.entries) or any(one.forgotten for one in kept.answers))
            written += kept.documents
            if not reading.more and forgotten:
                # Before the part counts as captured: whoever is killed in between does it again.
                self._hand_off(session, work, ended=False, forgotten=True)
            self._note(work, since, reading, kept)
            self.distiller.settled()
            since = reading.watermark
            unread += kept.unread
            turns |= {entry.turn for entry in batch.entries if entry.kind is Kind.USER}
            left_out += kept.left_out
        if written or forgotten:
            written += self._hand_off(session, work, ended=work.ended and patient, forgotten=forgotten)
        return DistillReport(
            tuple(written), tuple(left_out), len(turns), unread=tuple(unread), taken_back=len(taken_back)
        )

    def _select(self, session: Session, work: CaptureWork, reading: Reading) -> CaptureBatch:
        """What is to be kept of a reading: nothing of projects and folders that are excluded."""
        whole = () if self.choices.excludes(session.project) else self.distiller.folders.select_kept(reading.entries)
        gone = frozenset(one.turn for one in reading.taken_back)
        return CaptureBatch(work.transcript, whole, reading.watermark.position.offset, bool(reading.reset), gone)

    def _note(self, work: CaptureWork, since: Watermark, reading: Reading, kept: DistillReport) -> None:
        # What the turns reached is done with, also where the file holds less of it by now.
        end = work.end if not reading.more else reading.watermark.position.offset
        data: dict[str, Any] = {
            "session": work.session,
            "transcript": work.transcript,
            "watermark": end,
            "position": reading.watermark.as_data(),
        }
        docs = [*kept.documents, *kept.marks]
        data |= {"docs": docs} if docs else {}
        data |= {"unread": {"since": since.as_data(), "tries": kept.tries}} if kept.unread else {}
        with self.history.store.read() as reader:
            passed = (
                count_unread_lines(reader, work.session, work.transcript) if since.position.offset else UnreadLines()
            )
            answers = draft_answers(reader, work.session, kept.answers)
        passed = UnreadLines() if reading.reset else passed
        data |= passed.counting(reading).as_data()
        self.history.record([*answers, Draft("captured", data=data)])

    def _hand_off(self, session: Session, work: CaptureWork, *, ended: bool, forgotten: bool) -> list[str]:
        docid = self.distiller.hand_off(session, work.transcript, work.end, ended=ended)
        if docid is None and forgotten:
            self._forget_hand_off(session)
        return [] if docid is None else [docid]

    def expire(self) -> list[tuple[str, str]]:
        """Erases conversations that were kept for long enough; says which could not be."""
        if self.choices.keep_days is None:
            return []
        before = self.clock() - self.choices.keep_days * DAY_MS
        with self.history.store.read() as reader:
            kept = (one.document for one in reader.each_document(_KEPT))
            old = [one for one in kept if one.path.startswith(f"{FOLDER}/") and one.modified_at < before]
        problems = []
        for document in old:
            try:
                self.state().purge(document.docid, yes=True, actor="capture", reason="retention expired")
            except HearthError as error:
                problems.append((document.path, error.said))
        return problems

    def _forget(
        self, session: Session, batch: CaptureBatch, since: Watermark, turns: Collection[int]
    ) -> Mapping[str, str]:
        """What was captured of turns that the person now asks to forget; gives it as ``_forget_memories``."""
        before = self.distiller.read_before(batch.transcript, since.position)
        self._take_out(session, [entry for entry in before if entry.turn in turns], _ASKED)
        return self._forget_memories(session, turns, _ASKED)

    def _forget_fact(self, session: Session, fact: str, until: int) -> Answer:
        """Forgets the memory that is clearly named. Raises as ``Changer.forget``."""
        found = MemoryFinder(self.history.store, self.clock).find(fact, session.project, until)
        if len(found) != 1:
            return Answer(Wish.FORGET_FACT, meant=tuple(one.document.docid for one in found[:MOST]))
        docid = found[0].document.docid
        done = self.state().forget(docid, actor="capture", reason=_ASKED)
        return Answer(Wish.FORGET_FACT, {docid: done.events[-1] if done.events else ""})

    def _answer(self, session: Session, batch: CaptureBatch, forgotten: Mapping[str, str]) -> Iterator[Answer]:
        """What the piece asks to leave out or to forget, done as far as it is not yet. ``forgotten`` is what went with
        the turns that were to be forgotten. A file that is read anew was answered before."""
        asked = [
            (entry, one) for entry in batch.entries if entry.kind is Kind.USER for one in find_requests(entry.text)
        ]
        wishes = {one.wish for _, one in asked} if not batch.again else set()
        if Wish.WITHHOLD in wishes:
            yield Answer(Wish.WITHHOLD)
        if Wish.FORGET in wishes:
            yield Answer(Wish.FORGET, forgotten)
        for entry, one in asked:
            if one.wish in wishes and one.wish is Wish.FORGET_FACT:
                yield self._forget_fact(session, one.fact, self.clock() if entry.at is None else entry.at)

    def _take_back(self, session: Session, batch: CaptureBatch, since: Watermark, reading: Reading) -> set[int]:
        """Forgets what was captured of turns that the person took back since; gives these. Done once more it changes
        nothing."""
        turns = {one.turn for one in reading.taken_back}
        if reading.taken_back:
            for part in self._read_again(batch.transcript, reading.taken_back[0], since.position.offset):
                self._take_out(session, [entry for entry in part if entry.turn in turns], _TAKEN_BACK)
        if reading.reset and reading.dropped:
            turns |= {entry.turn for entry in reading.dropped}
            self._take_out(session, reading.dropped, _TAKEN_BACK)
        if turns:
            self._forget_memories(session, turns, _TAKEN_BACK)
        return turns

    def _read_again(self, transcript: str, first: TakenBack, end: int) -> Iterator[Sequence[TranscriptEntry]]:
        mark, more = Watermark(Position(offset=first.offset, turn=first.turn - 1)), True
        while more:
            reading = self.transcripts.read(transcript, mark, BATCH_BYTES, until=end)
            yield reading.entries
            mark, more = reading.watermark, reading.more

    def _take_out(self, session: Session, entries: Sequence[TranscriptEntry], reason: str) -> None:
        """Out of the session's conversation."""
        for docid in self.conversations.take_out(session, entries) if entries else ():
            self.state().purge(docid, yes=True, actor="capture", reason=reason)

    def _forget_memories(self, session: Session, turns: Collection[int], reason: str) -> Mapping[str, str]:
        """Gives the memories of these turns with the events that forgot them, empty for one of which a part is left."""
        gone: dict[str, str] = {}
        writer = self.conversations.writer
        with self.history.store.read() as reader:
            stored = {
                one.document.docid: one for kept in batches.of_session(reader, session.id) for one in kept.documents
            }
        for docid, one in stored.items():
            left = RemainingDocument.ALL if one.state.forgotten else take_back(writer, one, session.id, turns)
            if left is RemainingDocument.NOTHING:
                events = self.state().forget(docid, actor="capture", reason=reason).events
                gone[docid] = events[-1] if events else ""
            elif left is RemainingDocument.PART:
                gone[docid] = ""
        return gone

    def _forget_hand_off(self, session: Session) -> None:
        """Where nothing is left that it could say."""
        handoff = memories.handoff(self.conversations.writer, session.id)
        if handoff is not None:
            self.state().forget(handoff, actor="capture", reason=_ASKED)

    def _read(self, work: CaptureWork) -> Iterator[Reading]:
        """The transcript up to where the turns reached, in parts; a file that is gone holds nothing."""
        since = work.since
        while True:
            try:
                reading = self.transcripts.read(work.transcript, since, BATCH_BYTES, until=work.end)
            except NotFound:
                reading = Reading((), since)
            yield reading
            if not reading.more:
                return
            since = reading.watermark

    def _keep(self, session: Session, batch: CaptureBatch, since: Watermark, patient: bool) -> DistillReport:
        if not batch.entries:
            return DistillReport()
        batch = self.conversations.own(session, batch)
        recalled = recanted(batch.entries)
        forgotten = self._forget(session, batch, since, recalled) if recalled else {}
        conversation = self.conversations.add(session, batch) if self.choices.conversations else None
        kept = self.distiller.keep(session, batch, since, patient=patient)
        # What the piece itself says may be what it asks to be forgotten.
        kept = replace(kept, answers=tuple(self._answer(session, batch, forgotten)))
        return kept if conversation is None else replace(kept, documents=(*kept.documents, conversation))


SAID = "conversation"
# What the person said next may take back what stands in a piece.
_AFTER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Rereader:
    worker: Worker
    machine: str

    def waiting(self) -> list[UnreadBatch]:
        with self.worker.history.store.read() as reader:
            return unread(reader, self.machine)

    def due_in(self) -> float | None:
        """Seconds until one may be; ``None`` where none waits for a moment."""
        model = self.worker.distiller.model
        waiting = self.waiting() if model is not None else []
        if model is None or not waiting:
            return None
        return max(model.rests, (waiting[0].due_at - self.worker.clock()) / 1000, 0.0)

    def run(self) -> tuple[DistillReport, list[tuple[str, str]]]:
        """Reads what is due, one piece after the other, until the model is not to be had; says what went wrong, by
        session. A crash repeats a piece and writes nothing twice."""
        written: list[str] = []
        left_out: list[str] = []
        unread: list[str] = []
        problems: list[tuple[str, str]] = []
        model, now = self.worker.distiller.model, self.worker.clock()
        for batch in self.waiting() if model is not None else ():
            if batch.due_at > now or (model is not None and model.rests):
                continue
            try:
                kept = self._read(batch)
                self._settle(batch, docs=(*kept.documents, *kept.marks))
                written += kept.documents
                left_out += kept.left_out
            except BadReply as error:
                unread.append(error.said)
                self._settle(batch, failed=True)
            except HearthError as error:
                if model is not None and model.rests:
                    unread.append(error.said)
                else:
                    problems.append((batch.session, error.said))
        return DistillReport(tuple(written), tuple(left_out), unread=tuple(unread)), problems

    def _read(self, batch: UnreadBatch) -> DistillReport:
        worker = self.worker
        session = worker.sessions.get(batch.session).session
        try:
            reading = worker.transcripts.read(batch.transcript, batch.since, BATCH_BYTES, until=batch.end)
        except NotFound:
            return DistillReport()
        gone = self._find_taken_back(batch, reading)
        entries = self._select_kept_entries(reading, batch, gone)
        excluded = worker.choices.excludes(session.project)
        if reading.reset or not entries or excluded or self._is_taken_back(batch):
            return DistillReport()
        part = CaptureBatch(batch.transcript, entries, batch.end, gone=frozenset(gone))
        kept = worker.distiller.keep_read(session, part, batch.since)
        if kept.documents and self._is_last(batch):
            docid = worker.distiller.hand_off(session, batch.transcript, batch.end, ended=True)
            return kept if docid is None else replace(kept, documents=(*kept.documents, docid))
        return kept

    def _select_kept_entries(self, reading: Reading, batch: UnreadBatch, gone: set[int]) -> Sequence[TranscriptEntry]:
        """The entries of the piece, without what was taken back right after it."""
        if not reading.entries:
            return ()
        try:
            after = self.worker.transcripts.read(batch.transcript, reading.watermark, _AFTER_BYTES).entries
        except HearthError:
            after = ()
        last = reading.entries[-1].turn
        following = [entry for entry in after if entry.turn == last + 1]
        entries = [
            entry for entry in self.worker.distiller.folders.select_kept(reading.entries) if entry.turn not in gone
        ]
        return [entry for entry in entries_heard([*entries, *following]) if entry.turn <= last]

    def _find_taken_back(self, batch: UnreadBatch, reading: Reading) -> set[int]:
        """The turns that the piece takes back, and what was captured later."""
        with self.worker.history.store.read() as reader:
            captured = reader.registers(subjects.name_session(batch.session), "captured").get("captured")
        gone = {one.turn for one in reading.taken_back}
        if not isinstance(captured, dict) or captured.get("transcript") != batch.transcript:
            return gone
        end, mark = captured["watermark"], reading.watermark
        while mark.position.offset < end:
            later = self.worker.transcripts.read(batch.transcript, mark, BATCH_BYTES, until=end)
            gone |= {one.turn for one in later.taken_back}
            if not later.more:
                break
            mark = later.watermark
        return gone

    def _is_taken_back(self, batch: UnreadBatch) -> bool:
        """Whether what the piece left behind was forgotten since: then nothing of it is wanted."""
        with self.worker.history.store.read() as reader:
            left = next((one for one in batches.of_session(reader, batch.session) if one.id == batch.id), None)
        if left is None:
            return False
        forgotten = [one.state.forgotten for one in left.documents if one.document.content_type == SAID]
        memories = [one.state.forgotten for one in left.documents if one.document.content_type != SAID]
        return any(forgotten) or (bool(memories) and all(memories))

    def _is_last(self, batch: UnreadBatch) -> bool:
        """Whether the session ended with it, so that its hand-off is to be written for good."""
        view = self.worker.sessions.get(batch.session)
        with self.worker.history.store.read() as reader:
            waits = any(work.session == batch.session for work in pending(reader, self.machine))
        later = any(one.session == batch.session and one.end > batch.end for one in self.waiting())
        return view.session.ended is not None and not waits and not later

    def _settle(self, batch: UnreadBatch, docs: Sequence[str] = (), *, failed: bool = False) -> None:
        data: dict[str, Any] = {"session": batch.session, "piece": batch.id}
        data |= {"docs": list(docs)} if docs else {}
        again = batch.failed if failed else None
        data |= {"unread": dict(again)} if again is not None else {}
        self.worker.history.record([Draft("reread", data=data)])
        model = self.worker.distiller.model
        if model is not None:
            model.done()
