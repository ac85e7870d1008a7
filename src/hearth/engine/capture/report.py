"""What capturing did, what waits for it, and what it made. Instants are ms UTC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hearth.engine.capture.passed_over import PassedOver
from hearth.lazy import dataclass
from hearth.ports import StoredDocument


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
    passed_over: Sequence[PassedOver] = ()

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
class CapturedPiece:
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
class HandedOver:
    """Turns that were taken in; ``due_at`` is when they are captured, ``None`` where other turns or the session's end
    decide that."""

    session: str
    turns: int
    due_at: int | None

    def to_dict(self) -> dict[str, Any]:
        return {"session": self.session, "turns": self.turns, "due_at": self.due_at}
