"""What capturing did, what waits for it, and which lines of transcripts could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.core.transcript import Reading
from hearth.ports import StateReader, StoredDocument


@dataclass(frozen=True, slots=True)
class UnreadLines:
    """Of one transcript: how many ``lines`` something is missing of; the byte at which the first of them starts, and
    why."""

    session: str = ""
    transcript: str = ""
    lines: int = 0
    offset: int = 0
    reason: str = ""

    def counting(self, reading: Reading) -> UnreadLines:
        """With the lines of another reading."""
        if not reading.faulty:
            return self
        first = reading.faults[0]
        offset, reason = (self.offset, self.reason) if self.lines else (first.offset, first.reason)
        return UnreadLines(self.session, self.transcript, self.lines + reading.faulty, offset, reason)

    def as_data(self) -> dict[str, Any]:
        """For the journal; empty where nothing is missing."""
        data = {"lines": self.lines, "offset": self.offset, "reason": self.reason}
        return {"passed_over": data} if self.lines else {}

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "session": self.session,
            "transcript": self.transcript,
            "lines": self.lines,
            "offset": self.offset,
            "reason": self.reason,
        }


def count_unread_lines(reader: StateReader, session: str, transcript: str) -> UnreadLines:
    """What was missing so far of a session's transcript."""
    found = reader.registers(subjects.name_session(session), "captured").get("captured")
    known = _read(session, found) if isinstance(found, dict) else UnreadLines()
    return known if known.transcript == transcript else UnreadLines()


def list_passed_over(reader: StateReader, machine: str) -> list[UnreadLines]:
    """Of all transcripts that this machine captured, the one with the most first."""
    registers = reader.registers(subjects.name_machine(machine))
    named = ((subjects.read_watermark("captured", field), value) for field, value in registers.items())
    found = (_read(session, value) for session, value in named if session is not None and isinstance(value, dict))
    return sorted((one for one in found if one.lines), key=lambda one: (-one.lines, one.session))


def _read(session: str, captured: Mapping[str, Any]) -> UnreadLines:
    passed_over = captured.get("passed_over")
    if not isinstance(passed_over, dict):
        return UnreadLines()
    lines, offset, reason = passed_over.get("lines"), passed_over.get("offset"), passed_over.get("reason")
    if type(lines) is not int or type(offset) is not int or not isinstance(reason, str):
        return UnreadLines()
    return UnreadLines(session, str(captured.get("transcript", "")), lines, offset, reason)


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """One run: ``documents`` are the docids that were written or found written, ``left_out`` says why a statement was
    not kept, ``waiting`` counts the sessions that are not due yet, ``problems`` say what went wrong by session,
    ``unread`` why the rules read in the language model's place, ``taken_back`` counts turns that were captured before
    and that the person took back."""

    sessions: int = 0
    turns: int = 0
    documents: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    waiting: int = 0
    problems: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()
    taken_back: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "sessions": self.sessions,
            "turns": self.turns,
            "documents": list(self.documents),
            "left_out": list(self.left_out),
            "waiting": self.waiting,
            "problems": [{"session": session, "problem": problem} for session, problem in self.problems],
            "unread": list(self.unread),
            "taken_back": self.taken_back,
        }


@dataclass(frozen=True, slots=True)
class Waiting:
    """A session with something to capture; ``due_at`` is ``None`` where only another turn or its end makes it due."""

    session: str
    turns: int
    since: int
    due_at: int | None

    def to_dict(self) -> dict[str, Any]:
        return {"session": self.session, "turns": self.turns, "since": self.since, "due_at": self.due_at}


@dataclass(frozen=True, slots=True)
class CaptureStatus:
    """``faults`` say which patterns of the settings are skipped, and why; ``unread`` counts the pieces that the rules
    read and the language model has yet to read. ``passed_over`` are the transcripts of which lines could not be
    read, the one with the most first."""

    mode: str
    conversations: bool
    waiting: Sequence[Waiting]
    faults: Sequence[str] = ()
    unread: int = 0
    passed_over: Sequence[UnreadLines] = ()

    def to_dict(self) -> dict[str, Any]:
        waiting = [one.to_dict() for one in self.waiting]
        return {
            "mode": self.mode,
            "conversations": self.conversations,
            "waiting": waiting,
            "faults": list(self.faults),
            "unread": self.unread,
            "passed_over": {
                "lines": sum(one.lines for one in self.passed_over),
                "transcripts": [one.to_dict() for one in self.passed_over],
            },
        }


@dataclass(frozen=True, slots=True)
class CaptureBatch:
    """What one piece of a session left behind; a document that is hidden or gone is not among them. ``marks`` are those
    of facts that it added to documents."""

    id: str
    session: str
    at: int
    documents: tuple[StoredDocument, ...]
    marks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "piece": self.id,
            "session": self.session,
            "at": self.at,
            "documents": [
                {
                    "docid": stored.document.docid,
                    "path": stored.document.path,
                    "content_type": stored.document.content_type,
                    "title": stored.document.title,
                    "pending": stored.state.pending,
                }
                for stored in self.documents
            ],
        }


@dataclass(frozen=True, slots=True)
class HandoverReceipt:
    """Turns that were taken in; ``due_at`` is when they are captured, ``None`` where other turns or the session's end
    decide that."""

    session: str
    turns: int
    due_at: int | None

    def to_dict(self) -> dict[str, Any]:
        return {"session": self.session, "turns": self.turns, "due_at": self.due_at}
