"""What was captured piece by piece, where, and what is still to be read by a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hearth.capture.report import CapturedPiece
from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.core.session import Session
from hearth.core.transcript import TranscriptEntry, Turn, Watermark
from hearth.memory.sessions import view
from hearth.ports import Reader, StateReader


def latest(reader: StateReader) -> list[str]:
    """The sessions of which something was captured, the latest first."""
    found = [(v["at"], s) for subject, v in reader.holders("captured").items() if (s := subjects.read_session(subject))]
    return [session for _, session in sorted(found, reverse=True)]


def of_session(reader: Reader, session: str) -> list[CapturedPiece]:
    found: dict[str, list[str]] = {}
    at: dict[str, int] = {}
    for key, moment in reader.keys(subjects.name_session(session), "captured").items():
        piece, docid = subjects.read_captured(key)
        found.setdefault(piece, []).append(docid)
        at[piece] = moment
    pieces = []
    for piece, docids in found.items():
        stored = {one: reader.document(one) for one in docids}
        documents = tuple(one for one in stored.values() if one is not None)
        pieces.append(CapturedPiece(piece, session, at[piece], documents, tuple(docids)))
    return pieces


def named(reader: Reader, reference: str) -> list[CapturedPiece]:
    """The piece of that name, else the pieces of the session of that name; none where there is neither."""
    for session in latest(reader):
        pieces = of_session(reader, session)
        found = pieces if session == view.of_session(reference) else [one for one in pieces if one.id == reference]
        if found:
            return found
    return []


@dataclass(frozen=True, slots=True)
class Folders:
    """``project_of`` gives the project of a folder, ``is_excluded`` whether nothing is kept of it."""

    project_of: Callable[[str], str | None] = lambda folder: None
    is_excluded: Callable[[str], bool] = lambda folder: False

    def find_project(self, session: Session, turn: Turn) -> str | None:
        """That of the folder in which the turn began; where it has none, or lies in the folder that is the session's
        project, the session's."""
        found = self.project_of(turn.cwd) if turn.cwd is not None else None
        if found is None:
            return session.project
        is_inside = (session.project or "").startswith("/") and found.startswith(f"{session.project}/")
        return session.project if is_inside else found

    def find_projects(self, session: Session, turns: Iterable[Turn]) -> dict[str | None, list[Turn]]:
        """The turns of each project; each folder is looked at once."""
        projects: dict[str | None, str | None] = {}
        found: dict[str | None, list[Turn]] = {}
        for turn in turns:
            if turn.cwd not in projects:
                projects[turn.cwd] = self.find_project(session, turn)
            found.setdefault(projects[turn.cwd], []).append(turn)
        return found

    def select_kept(self, entries: Iterable[TranscriptEntry]) -> list[TranscriptEntry]:
        """Those of folders of which something is kept."""
        entries = list(entries)
        folders = {entry.cwd for entry in entries if entry.cwd is not None}
        excluded = {folder for folder in folders if self.is_excluded(folder)}
        return [entry for entry in entries if entry.cwd not in excluded]


MAX_TRIES = 3
"""Answers in vain (each of several attempts) after which the rules' reading stands."""
_PAUSE_MS = 15 * 60_000


@dataclass(frozen=True, slots=True)
class UnreadPiece:
    """``id`` is the event that captured it, ``since`` and ``end`` are its borders in the transcript, ``at`` when it was
    captured or last tried (ms UTC), ``tries`` counts answers in vain."""

    id: str
    session: str
    transcript: str
    since: Watermark
    end: int
    at: int
    tries: int

    @property
    def due_at(self) -> int:
        """At once where the model could not be asked; after answers in vain later each time."""
        return self.at + (_PAUSE_MS * 4 ** (self.tries - 1) if self.tries else 0)

    @property
    def failed(self) -> Mapping[str, Any] | None:
        """What the journal says after another answer in vain; ``None`` where it was the last one."""
        if self.tries + 1 >= MAX_TRIES:
            return None
        return {
            "transcript": self.transcript,
            "since": self.since.as_data(),
            "watermark": self.end,
            "tries": self.tries + 1,
        }


def unread(reader: StateReader, machine: str) -> list[UnreadPiece]:
    """Of this machine, the piece that waits longest first."""
    registers = reader.registers(subjects.name_machine(machine))
    found = []
    for field, value in registers.items():
        piece = subjects.read_unread(field)
        if piece is not None and isinstance(value, dict):
            since = Watermark.from_data(value["since"])
            found.append(
                UnreadPiece(
                    piece, value["session"], value["transcript"], since, value["watermark"], value["at"], value["tries"]
                )
            )
    return sorted(found, key=lambda one: (one.due_at, one.id))
