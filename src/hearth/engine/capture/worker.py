"""One session's waiting part captured: read, kept, noted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import field, replace
from fnmatch import fnmatchcase
from typing import Any

from hearth.engine.capture import pieces
from hearth.engine.capture.conversations import FOLDER, Conversations, Piece
from hearth.engine.capture.distiller import Distiller, Kept
from hearth.engine.capture.handover import Handover
from hearth.engine.capture.retraction import is_from_turn, is_shared, marks_of, retract
from hearth.engine.capture.work import CaptureRules, CaptureWork
from hearth.engine.history.history import History
from hearth.engine.sessions.record import SessionLog
from hearth.engine.state.changer import Changer
from hearth.engine.writing import sessions
from hearth.errors import HearthError, NotFound
from hearth.extract.withheld import recanted
from hearth.lazy import dataclass
from hearth.model.host.session import Session
from hearth.model.host.transcript import Kind, Reading, Watermark
from hearth.model.identity import INTERNAL
from hearth.model.instants import DAY_MS
from hearth.model.journal.event import Draft
from hearth.ports import Clock, Filter, Transcripts

PIECE_BYTES = 4 * 1024 * 1024
_ASKED = "the person asked to forget it"


@dataclass(frozen=True, slots=True)
class CaptureChoices:
    """``exclude`` are patterns of projects and folders of which nothing is kept; ``keep_days`` is how long
    conversations are, ``None`` for ever; ``patterns`` mark prompts that are captured at once."""

    rules: CaptureRules = field(default_factory=CaptureRules)
    conversations: bool = True
    keep_days: int | None = None
    exclude: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def excludes(self, *places: str | None) -> bool:
        """Whether nothing is kept of a session of such a project or folder."""
        return any(fnmatchcase(place, pattern) for place in places if place for pattern in self.exclude)


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

    def capture(self, work: CaptureWork, *, patient: bool = True) -> Kept:
        """``patient`` where nobody waits who did not ask for it: then a language model may be asked."""
        session = self.sessions.get(work.session).session
        written: list[str] = []
        left_out: list[str] = []
        turns: set[int] = set()
        unread: list[str] = []
        forgotten = False
        since = work.since
        for reading in self._read(work):
            piece = Piece(work.transcript, reading.entries, reading.watermark.position.offset, bool(reading.reset))
            left_alone = self.choices.excludes(session.project, reading.watermark.position.cwd)
            kept = Kept() if left_alone else self._keep(session, piece, since, patient)
            forgotten |= not left_alone and bool(recanted(piece.entries))
            # What the turns reached is done with, also where the file holds less of it by now.
            end = work.end if not reading.more else piece.end
            data: dict[str, Any] = {
                "session": work.session,
                "transcript": work.transcript,
                "watermark": end,
                "position": reading.watermark.as_data(),
            }
            docs = [*kept.documents, *kept.marks]
            data |= {"docs": docs} if docs else {}
            data |= {"unread": {"since": since.as_data(), "tries": kept.tries}} if kept.unread else {}
            self.history.record([Draft("captured", data=data)])
            self.distiller.settled()
            since = reading.watermark
            unread += kept.unread
            turns |= {entry.turn for entry in reading.entries if entry.kind is Kind.USER}
            written += kept.documents
            left_out += kept.left_out
        ended = work.ended and patient
        if written or forgotten:
            docid = self.distiller.hand_off(session, work.transcript, work.end, ended=ended)
            written += [] if docid is None else [docid]
            if docid is None and forgotten:
                self._forget_hand_off(session)
        if not unread:  # else it is read again
            self.handover.done(work.transcript, work.end)
        return Kept(tuple(written), tuple(left_out), len(turns), unread=tuple(unread))

    def expire(self) -> list[tuple[str, str]]:
        """Erases conversations that were kept for long enough; says which could not be."""
        if self.choices.keep_days is None:
            return []
        before = self.clock() - self.choices.keep_days * DAY_MS
        with self.history.store.read() as reader:
            kept = reader.find_documents(Filter((INTERNAL,), ("conversation",), include_hidden=True))
        problems = []
        for stored in kept:
            document = stored.document
            if document.path.startswith(f"{FOLDER}/") and document.modified_at < before:
                try:
                    self.state().purge(document.docid, yes=True, actor="capture", reason="kept long enough")
                except HearthError as error:
                    problems.append((document.path, error.said))
        return problems

    def _forget(self, session: Session, piece: Piece, since: Watermark, turns: Collection[int]) -> None:
        """What was captured of turns that the person now asks to forget."""
        writer = self.conversations.writer
        before = self.distiller.read_before(piece.transcript, since.position)
        for docid in self.conversations.take_out(session, [entry for entry in before if entry.turn in turns]):
            self.state().purge(docid, yes=True, actor="capture", reason=_ASKED)
        with self.history.store.read() as reader:
            stored = {
                one.document.docid: one for kept in pieces.of_session(reader, session.id) for one in kept.documents
            }
        for docid, one in stored.items():
            for source in (f"session {session.id}, turn {turn}, " for turn in sorted(turns)):
                if not is_from_turn(writer, one, source):
                    continue
                marks = marks_of(writer, one, source)
                if not is_shared(writer, one, session.id, marks):
                    self.state().forget(docid, actor="capture", reason=_ASKED)
                else:
                    retract(writer, one, session.id, marks)
                break

    def _forget_hand_off(self, session: Session) -> None:
        """Where nothing is left that it could say."""
        told = sessions.handoff(self.conversations.writer, session.id)
        if told is not None:
            self.state().forget(told, actor="capture", reason=_ASKED)

    def _read(self, work: CaptureWork) -> Iterator[Reading]:
        """The transcript up to where the turns reached, in parts; a file that is gone holds nothing."""
        since = work.since
        while True:
            try:
                reading = self.transcripts.read(work.transcript, since, PIECE_BYTES, until=work.end)
            except NotFound:
                reading = Reading((), since)
            yield reading
            if not reading.more:
                return
            since = reading.watermark

    def _keep(self, session: Session, piece: Piece, since: Watermark, patient: bool) -> Kept:
        piece = self.conversations.own(session, piece)
        recalled = recanted(piece.entries)
        if recalled:
            self._forget(session, piece, since, recalled)
        said = self.conversations.add(session, piece) if self.choices.conversations else None
        kept = self.distiller.keep(session, piece, since, patient=patient)
        return kept if said is None else replace(kept, documents=(*kept.documents, said))
