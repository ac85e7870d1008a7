"""Pieces read by the language model that was not to be had when they were captured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hearth.capture import pieces
from hearth.capture.conversations import Piece
from hearth.capture.distiller import Kept
from hearth.capture.pieces import UnreadPiece, unread
from hearth.capture.work import pending
from hearth.capture.worker import PIECE_BYTES, Worker
from hearth.core import subjects
from hearth.core.errors import BadReply, HearthError, NotFound
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.transcript import Reading, TranscriptEntry
from hearth.transcripts.typed import entries_heard

SAID = "conversation"
# What the person said next may take back what stands in a piece.
_AFTER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Rereader:
    worker: Worker
    machine: str

    def waiting(self) -> list[UnreadPiece]:
        with self.worker.history.store.read() as reader:
            return unread(reader, self.machine)

    def due_in(self) -> float | None:
        """Seconds until one may be; ``None`` where none waits for a moment."""
        model = self.worker.distiller.model
        waiting = self.waiting() if model is not None else []
        if model is None or not waiting:
            return None
        return max(model.rests, (waiting[0].due_at - self.worker.clock()) / 1000, 0.0)

    def run(self) -> tuple[Kept, list[tuple[str, str]]]:
        """Reads what is due, one piece after the other, until the model is not to be had; says what went wrong, by
        session. A crash repeats a piece and writes nothing twice."""
        written: list[str] = []
        left_out: list[str] = []
        unread: list[str] = []
        problems: list[tuple[str, str]] = []
        model, now = self.worker.distiller.model, self.worker.clock()
        for piece in self.waiting() if model is not None else ():
            if piece.due_at > now or (model is not None and model.rests):
                continue
            try:
                kept = self._read(piece)
                self._settle(piece, docs=(*kept.documents, *kept.marks))
                written += kept.documents
                left_out += kept.left_out
            except BadReply as error:
                unread.append(error.said)
                self._settle(piece, failed=True)
            except HearthError as error:
                if model is not None and model.rests:
                    unread.append(error.said)
                else:
                    problems.append((piece.session, error.said))
        return Kept(tuple(written), tuple(left_out), unread=tuple(unread)), problems

    def _read(self, piece: UnreadPiece) -> Kept:
        worker = self.worker
        session = worker.sessions.get(piece.session).session
        try:
            reading = worker.transcripts.read(piece.transcript, piece.since, PIECE_BYTES, until=piece.end)
        except NotFound:
            return Kept()
        gone = self._find_taken_back(piece, reading)
        entries = self._select_said(reading, piece, gone)
        excluded = worker.choices.excludes(session.project)
        if reading.reset or not entries or excluded or self._is_taken_back(piece):
            return Kept()
        part = Piece(piece.transcript, entries, piece.end, gone=frozenset(gone))
        kept = worker.distiller.keep_read(session, part, piece.since)
        if kept.documents and self._is_last(piece):
            docid = worker.distiller.hand_off(session, piece.transcript, piece.end, ended=True)
            return kept if docid is None else replace(kept, documents=(*kept.documents, docid))
        return kept

    def _select_said(self, reading: Reading, piece: UnreadPiece, gone: set[int]) -> Sequence[TranscriptEntry]:
        """The entries of the piece, without what was taken back right after it."""
        if not reading.entries:
            return ()
        try:
            after = self.worker.transcripts.read(piece.transcript, reading.watermark, _AFTER_BYTES).entries
        except HearthError:
            after = ()
        last = reading.entries[-1].turn
        following = [entry for entry in after if entry.turn == last + 1]
        said = [entry for entry in self.worker.distiller.folders.select_kept(reading.entries) if entry.turn not in gone]
        return [entry for entry in entries_heard([*said, *following]) if entry.turn <= last]

    def _find_taken_back(self, piece: UnreadPiece, reading: Reading) -> set[int]:
        """The turns that the piece takes back, and what was captured later."""
        with self.worker.history.store.read() as reader:
            captured = reader.registers(subjects.name_session(piece.session), "captured").get("captured")
        gone = {one.turn for one in reading.taken_back}
        if not isinstance(captured, dict) or captured.get("transcript") != piece.transcript:
            return gone
        end, mark = captured["watermark"], reading.watermark
        while mark.position.offset < end:
            later = self.worker.transcripts.read(piece.transcript, mark, PIECE_BYTES, until=end)
            gone |= {one.turn for one in later.taken_back}
            if not later.more:
                break
            mark = later.watermark
        return gone

    def _is_taken_back(self, piece: UnreadPiece) -> bool:
        """Whether what the piece left behind was forgotten since: then nothing of it is wanted."""
        with self.worker.history.store.read() as reader:
            left = next((one for one in pieces.of_session(reader, piece.session) if one.id == piece.id), None)
        if left is None:
            return False
        said = [one.state.forgotten for one in left.documents if one.document.content_type == SAID]
        memories = [one.state.forgotten for one in left.documents if one.document.content_type != SAID]
        return any(said) or (bool(memories) and all(memories))

    def _is_last(self, piece: UnreadPiece) -> bool:
        """Whether the session ended with it, so that its hand-off is to be written for good."""
        view = self.worker.sessions.get(piece.session)
        with self.worker.history.store.read() as reader:
            waits = any(work.session == piece.session for work in pending(reader, self.machine))
        later = any(one.session == piece.session and one.end > piece.end for one in self.waiting())
        return view.session.ended is not None and not waits and not later

    def _settle(self, piece: UnreadPiece, docs: Sequence[str] = (), *, failed: bool = False) -> None:
        data: dict[str, Any] = {"session": piece.session, "piece": piece.id}
        data |= {"docs": list(docs)} if docs else {}
        again = piece.failed if failed else None
        data |= {"unread": dict(again)} if again is not None else {}
        self.worker.history.record([Draft("reread", data=data)])
        model = self.worker.distiller.model
        if model is not None:
            model.done()
        if again is None and not any(one.transcript == piece.transcript for one in self.waiting()):
            with self.worker.history.store.read() as reader:
                waits = any(work.transcript == piece.transcript for work in pending(reader, self.machine))
            if not waits:
                self.worker.handover.done(piece.transcript, piece.end)
