"""Capture batches: what was captured at once, what a model still has to read, and taking a batch back. What
capturing did, what waits for it, and which lines of transcripts could not be read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, REVISIONS, Known, Merge, Origin
from hearth.core.session import Session
from hearth.core.transcript import Reading, TranscriptEntry, Turn, Watermark
from hearth.memory import files, policy, session_log
from hearth.memory.writer import MemoryWriter
from hearth.ports import Reader, StateReader, StoredDocument


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


def latest(reader: StateReader) -> list[str]:
    """The sessions of which something was captured, the latest first."""
    found = [(v["at"], s) for subject, v in reader.holders("captured").items() if (s := subjects.read_session(subject))]
    return [session for _, session in sorted(found, reverse=True)]


def of_session(reader: Reader, session: str) -> list[CaptureBatch]:
    found: dict[str, list[str]] = {}
    at: dict[str, int] = {}
    for key, moment in reader.keys(subjects.name_session(session), "captured").items():
        batch, docid = subjects.read_captured(key)
        found.setdefault(batch, []).append(docid)
        at[batch] = moment
    batches = []
    for batch, docids in found.items():
        stored = {one: reader.document(one) for one in docids}
        documents = tuple(one for one in stored.values() if one is not None)
        batches.append(CaptureBatch(batch, session, at[batch], documents, tuple(docids)))
    return batches


def find_batches(reader: Reader, reference: str) -> list[CaptureBatch]:
    """The piece of that name, else the pieces of the session of that name; none where there is neither."""
    for session in latest(reader):
        batches = of_session(reader, session)
        whole = session == session_log.of_session(reference)
        found = batches if whole else [one for one in batches if one.id == reference]
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
class UnreadBatch:
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


def unread(reader: StateReader, machine: str) -> list[UnreadBatch]:
    """Of this machine, the piece that waits longest first."""
    registers = reader.registers(subjects.name_machine(machine))
    found = []
    for field, value in registers.items():
        batch = subjects.read_unread(field)
        if batch is not None and isinstance(value, dict):
            since = Watermark.from_data(value["since"])
            found.append(
                UnreadBatch(
                    batch, value["session"], value["transcript"], since, value["watermark"], value["at"], value["tries"]
                )
            )
    return sorted(found, key=lambda one: (one.due_at, one.id))


def is_shared(writer: MemoryWriter, stored: StoredDocument, session: str, marks: Collection[str]) -> bool:
    """Whether something of a document remains without what the session said; ``marks`` are those of its facts."""
    history = _history(writer, stored)
    if not history:
        return False
    if CONTENT_TYPES[stored.document.content_type].merge is Merge.GATHER:
        return bool(policy.without(history[-1].memory.text, marks))
    return not _is_from(history[0], session)


def retract(writer: MemoryWriter, stored: StoredDocument, session: str, marks: Collection[str]) -> bool:
    """Writes a shared document as it was without the session; ``False`` where it says nothing of it. Raises
    ``Conflict`` and ``Unavailable`` as ``MemoryWriter.overwrite``."""
    history = _history(writer, stored)
    present = history[-1].memory
    if CONTENT_TYPES[stored.document.content_type].merge is Merge.GATHER:
        wanted = replace(present, text=policy.without(present.text, marks))
    elif _is_from(history[-1], session):
        wanted = next(one.memory for one in reversed(history) if not _is_from(one, session))
    else:
        wanted = present
    if wanted.text == present.text:
        return False
    writer.overwrite(replace(wanted, id=present.id), history[-1].path)
    return True


class RemainingDocument(StrEnum):
    """What is left of a document without some turns: all of it where they have no part in it."""

    ALL = "all"
    PART = "part"
    NOTHING = "nothing"


def take_back(writer: MemoryWriter, stored: StoredDocument, session: str, turns: Collection[int]) -> RemainingDocument:
    """Writes a document as it was without these turns of a session, unless nothing of it would be left: then it stays
    as it is, for the caller to forget. Raises as ``retract``."""
    history = _history(writer, stored)
    if not history:
        return RemainingDocument.ALL
    present = history[-1].memory
    sources = tuple(f"session {session}, turn {turn}, " for turn in turns)
    if CONTENT_TYPES[stored.document.content_type].merge is Merge.GATHER:
        marks = {mark for source in sources for mark in policy.marks_from(present.text, source)}
        wanted = replace(present, text=policy.without(present.text, marks))
        if marks and not wanted.text:
            return RemainingDocument.NOTHING
    else:
        own = [one.memory for one in history if one.memory.origin is None or not _begins(one.memory.origin, sources)]
        if not own:
            return RemainingDocument.NOTHING
        # A later turn may have said it anew: then the present text is that one's.
        wanted = present if own[-1] is present else own[-1]
    if wanted.text == present.text:
        return RemainingDocument.ALL
    writer.overwrite(replace(wanted, id=present.id), history[-1].path)
    return RemainingDocument.PART


def _begins(origin: Origin, sources: tuple[str, ...]) -> bool:
    return origin.source.startswith(sources)


def _history(writer: MemoryWriter, stored: StoredDocument) -> list[Known]:
    """The memory as it was at each time, the present one last; empty where this machine did not write it."""
    folder = f"{REVISIONS}/{stored.document.docid}"
    path = stored.file.disk_path.decode("utf-8", "surrogateescape")
    paths = [*(f"{folder}/{name}" for name in writer.memories.names(folder)), path]
    read = ((name, writer.memories.read(name)) for name in paths)
    found = [files.read(name, data, writer.redact) for name, data in read if data is not None]
    own = [one for one in found if one is not None and one.memory.machine == writer.machine]
    return own if own and own[-1].path == path else []


def _is_from(one: Known, session: str) -> bool:
    origin = one.memory.origin
    return origin is not None and origin.source.startswith(f"session {session}, ")
