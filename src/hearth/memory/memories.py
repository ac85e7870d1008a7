"""What the engine writes down: memories, daily notes, diaries, the state of sessions, and the days' files of an
agent's workspace, which other programs read and write, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath
from typing import Protocol, Unpack

from hearth.core import instants
from hearth.core.document import CAPTURE, INTERNAL, STATES, content_hash, docid
from hearth.core.errors import Unavailable, UsageError
from hearth.core.hook import NOTHING_OFF, SwitchedOff, check_switch
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, DEFAULT_TYPE, Entry, Known, NewMemory, Remembered
from hearth.core.query import MemoryOptions
from hearth.core.session import MAIN_AGENT, hashed, session_of_agent
from hearth.memory import file_names, files, session_log
from hearth.memory.admission import admitted, memory_of, text_of
from hearth.memory.file_names import first_words, heading
from hearth.memory.files import TIME, TRIES, append, changing, decode_day, with_note_marked, without_note
from hearth.memory.session_record import SessionLog
from hearth.memory.writer import MemoryWriter
from hearth.ports import Collection, Filter, MemoryFiles, StoredDocument
from hearth.text.similarity import similar

FOLDER = "memory"


@dataclass(frozen=True, slots=True)
class WorkspaceDays:
    """``files`` are those of the workspace, ``collection`` is one that holds its folder of days."""

    files: MemoryFiles
    collection: Collection

    def add(self, text: str, moment: datetime) -> str:
        """Adds a text to the file of its local day, under its time and once; gives the file's path in the workspace.
        Raises as ``append``."""
        path = f"{FOLDER}/{moment:%Y-%m-%d}.md"
        append(self.files, path, text, moment, f"# {moment:%Y-%m-%d}", once=True)
        return path

    def remove(self, text: str, moment: datetime) -> str | None:
        """Takes out what ``add`` wrote at that minute. Gives the file's path where it stays because somebody changed
        it. Raises as ``append``."""
        path, time = f"{FOLDER}/{moment:%Y-%m-%d}.md", f"{moment:%H:%M}"
        for _ in range(TRIES):
            present = self.files.read(path)
            if present is None:
                return None
            source = decode_day(present, path)
            data = without_note(present, text, time)
            if data is None:
                return path if any(similar(one, text) for one in _find_paragraphs(source, time)) else None
            if self.files.replace(path, data, content_hash(present)):
                return None
        raise changing(self.files, path)

    def mark(self, text: str, moment: datetime, since: datetime | None) -> None:
        """Says of what ``add`` wrote at that minute since when it is outdated, or no longer says so. Leaves what
        somebody changed. Raises as ``append``."""
        path = f"{FOLDER}/{moment:%Y-%m-%d}.md"
        for _ in range(TRIES):
            present = self.files.read(path)
            if present is None:
                return
            decode_day(present, path)
            data = with_note_marked(present, text, f"{moment:%H:%M}", since)
            if data is None or self.files.replace(path, data, content_hash(present)):
                return
        raise changing(self.files, path)

    def find_path(self, path: str) -> str:
        """The path in the collection of a file of the workspace."""
        return PurePath(self.files.root, path).relative_to(self.collection.root).as_posix()


def find_days(files: MemoryFiles, collections: Iterable[Collection]) -> WorkspaceDays | None:
    """The days of the workspace with these files, where a collection holds them."""
    folder = PurePath(files.root, FOLDER)
    found = [one for one in collections if folder.is_relative_to(one.root)]
    return WorkspaceDays(files, max(found, key=lambda one: len(one.root))) if found else None


def _find_paragraphs(source: str, time: str) -> list[str]:
    """Those under a time."""
    _, *parts = TIME.split(source)
    under = "\n\n".join(text for at, text in zip(parts[::2], parts[1::2], strict=True) if at == time)
    return under.split("\n\n")


_ID_CHARS = 12
_UNNAMED = "tools"
"""The session of what an agent keeps outside of one."""


def handoff_path(session: str) -> str:
    """Below the memory folder."""
    return f"{CONTENT_TYPES['handoff'].folder}/session-{hashed(session_log.of_session(session))[:_ID_CHARS]}.md"


def state_path(session: str) -> str:
    """Below the memory folder. A session is one machine's, so its name is enough."""
    key = session_log.of_session(session)
    return f"{STATES}{hashed(key) if ':' in key else key}.md"


def handoff(writer: MemoryWriter, session: str) -> str | None:
    """The docid of the hand-off that is kept of a session; ``None`` where none is."""
    one = _read(writer, session)
    return None if one is None else one.memory.id


def hand_off(writer: MemoryWriter, session: str, wish: NewMemory) -> str:
    """Writes it over what was kept before, unless that says the same; gives its docid. Raises ``Conflict`` where
    somebody else wrote the file, else as ``MemoryWriter.remember``."""
    fit = admitted(replace(wish, content_type="handoff", session=session_log.of_session(session)), writer.redact)
    one = _read(writer, session)
    if one is not None and one.memory.text == fit.wish.text:
        return one.memory.id
    memory = memory_of(fit.wish, file_names.new_id(writer.random), writer.machine, writer.clock())
    return writer.overwrite(memory, handoff_path(session)).docid


def save_state(writer: MemoryWriter, session: str, text: str, project: str | None) -> Remembered:
    """Raises as ``hand_off``."""
    title = "State of a session before its compaction"
    wish = NewMemory(text, title=title, session=session_log.of_session(session), project=project, created_by=CAPTURE)
    fit = admitted(wish, writer.redact)
    memory = memory_of(fit.wish, file_names.new_id(writer.random), writer.machine, writer.clock())
    # Written over with each compaction: of all types this one claims least.
    kept = writer.overwrite(replace(memory, content_type="progress"), state_path(session))
    return replace(kept, redacted=fit.redacted)


def _read(writer: MemoryWriter, session: str) -> Known | None:
    path = handoff_path(session)
    data = writer.memories.read(path)
    return None if data is None else files.read(path, data, writer.redact)


MAX_ENTRIES = 100
GENERAL = "general"


def write(
    writer: MemoryWriter, text: str, topic: str | None = None, agent: str = "agent", session: str | None = None
) -> Remembered:
    """Keeps an entry. Raises as ``MemoryWriter.remember``."""
    fit = admitted(NewMemory(text, subject=topic or GENERAL, session=session, created_by=agent), writer.redact)
    memory = memory_of(fit.wish, file_names.new_id(writer.random), writer.machine, writer.clock())
    memory = replace(memory, title=heading(memory.text) or first_words(memory.text))
    moment = instants.moment(memory.authored_at, instants.zone_of(writer.zone))
    name = file_names.file_name(f"{moment:%Y-%m-%d %H%M} {memory.subject}", GENERAL, memory.id)

    def same(one: Known) -> bool:
        own = one.memory.created_by == memory.created_by and one.memory.subject == memory.subject
        return own and file_names.is_entry(one.path)

    return replace(writer.keep(memory, f"{file_names.DIARY}/{name}", same), redacted=fit.redacted)


def read(writer: MemoryWriter, last: int = 10, agent: str | None = None, topic: str | None = None) -> list[Entry]:
    """The newest entries, newest first, with their text."""
    if not 1 <= last <= MAX_ENTRIES:
        raise UsageError(f"{last} entries are out of range; ask for 1 to {MAX_ENTRIES}")
    within = Filter((INTERNAL,), (NewMemory("").content_type,), paths=(f"{file_names.DIARY}/",))
    with writer.store.read() as reader:
        stored = sorted(reader.each_document(within), key=lambda item: item.document.newest_first[:2])
    entries: list[Entry] = []
    for item in stored:
        entry = _entry(writer, item.file.disk_path.decode("utf-8", "surrogateescape"), item.document.docid)
        if entry is not None and agent in (None, entry.agent) and topic in (None, entry.topic):
            entries.append(entry)
            if len(entries) == last:
                break
    return entries


def _entry(writer: MemoryWriter, path: str, docid: str) -> Entry | None:
    data = writer.memories.read(path) if file_names.is_entry(path) else None
    one = files.read(path, data, writer.redact) if data is not None else None
    if one is None:
        return None
    memory = one.memory
    return Entry(docid, path, memory.authored_at, memory.created_by, memory.subject or GENERAL, memory.text)


SettleDays = Callable[[Iterable[str]], object]
"""Says in the days' files of the workspaces which of the lines of memories, named by docid, are outdated."""


def leave_days(docids: Iterable[str]) -> None:
    """What settles nothing, where there are no workspaces."""


# After these a memory says something that it did not say before.
_NEW = frozenset({"written", "revised", "merged"})


@dataclass(frozen=True, slots=True)
class Followed:
    """Docids: what gave way to a memory, and what a person is asked about."""

    supersedes: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What was made up for: so many ``documents`` were looked at; ``problems`` say of which something could not be
    found out."""

    documents: int = 0
    supersedes: int = 0
    asks: int = 0
    problems: tuple[str, ...] = ()


class Follow(Protocol):
    """Finds and does what follows from a new statement for those that are there."""

    def __call__(self, docid: str) -> Followed:
        """Raises ``Unavailable``; then the document is left."""

    def count_left(self) -> int:
        """How many there are to make up for, at most as many as one run does; cheap."""

    def catch_up(self, *, patient: bool = True) -> CaughtUp:
        """Makes up for some that are left; unless ``patient``, without a language model. Raises ``Unavailable`` where
        none was possible."""


@dataclass(frozen=True)
class Memories:
    """Each call is in its file, in the index and searchable on return. They raise as ``MemoryWriter.remember``.

    ``prepare`` brings up to date an index that is stale or knows nothing of memories that are there; ``follow`` is
    called with each that says something new. ``days`` are the days' files of the agent's workspace, if it has one;
    ``settle_days`` is called with what gave way or says something else. Where its memory is ``off``,
    every write raises ``Conflict``."""

    writer: MemoryWriter
    sessions: Callable[[], SessionLog]
    prepare: Callable[[], None]
    follow: Follow
    agent: str = MAIN_AGENT
    days: WorkspaceDays | None = None
    settle_days: SettleDays = leave_days
    off: SwitchedOff = NOTHING_OFF

    def remember(self, text: str, type: str = DEFAULT_TYPE, **given: Unpack[MemoryOptions]) -> Remembered:  # noqa: A002
        """Writes a memory of a content type, or finds that it is there; ``given`` are other fields of ``NewMemory``."""
        self.prepare()
        session = given.get("session") if type == "handoff" else None
        if session and not given.get("project"):
            given["project"] = self.sessions().project(session)
        done = self.keep(NewMemory(text, type, **given))
        if session:
            self.sessions().handed_off(session, done.docid)
        return done

    def keep(self, wish: NewMemory) -> Remembered:
        """As ``remember``, in an index that is up to date: what a session said is kept this way, too."""
        done = self.writer.remember(self._owned(wish))
        if done.supersedes or done.revision is not None:
            self.settle_days((done.docid, *done.supersedes))
        return self._notice(done) if done.action in _NEW else done

    def _owned(self, wish: NewMemory) -> NewMemory:
        """What another agent than the main one keeps bears the name of a session of it."""
        check_switch(self.off)
        if self.agent == MAIN_AGENT:
            return wish
        return replace(wish, session=session_of_agent(wish.session or _UNNAMED, self.agent))

    def _notice(self, done: Remembered) -> Remembered:
        """What is written stays written where what follows from it can't be found out now: it is found out later."""
        try:
            found = self.follow(done.docid)
        except Unavailable:
            return done
        gone = (docid for docid in found.supersedes if docid != done.docid)
        return replace(done, supersedes=tuple(dict.fromkeys((*done.supersedes, *gone))), asks=found.asks)

    def note(self, text: str) -> Remembered:
        """Adds a text to today's daily file, under the present local time: that of the workspace, where other programs
        read it, else the vault's. What another agent without a workspace notes is a memory of its own: the vault's file
        is everyone's."""
        check_switch(self.off)
        if self.days is not None:
            return self._note_in(self.days, text)
        if self.agent != MAIN_AGENT:
            return self.remember(text)
        self.prepare()
        return self.writer.note(text)

    def _note_in(self, days: WorkspaceDays, text: str) -> Remembered:
        clean, redacted = text_of(text, self.writer.redact)
        with self.writer.exclusive():
            # The day is that of the write, however long it had to wait.
            moment = instants.moment(self.writer.clock(), instants.zone_of(self.writer.zone))
            file = days.add(clean, moment)
        path = days.find_path(file)
        identity, where = docid(days.collection.name, path), f"{days.files.root}/{file}"
        title = f"{moment:%Y-%m-%d}"
        return Remembered("appended", identity, days.collection.name, path, where, "daily", title, redacted=redacted)

    def write_diary(self, text: str, topic: str | None = None, agent: str = "agent") -> Remembered:
        """Keeps an entry of an agent's diary."""
        self.prepare()
        return write(self.writer, text, topic, agent, self._owned(NewMemory(text)).session)

    def read_diary(self, last: int = 10, *, agent: str | None = None, topic: str | None = None) -> list[Entry]:
        """The newest entries of the diary, newest first, with their text."""
        self.prepare()
        return read(self.writer, last, agent, topic)

    def hand_off(self, session: str, wish: NewMemory) -> str | None:
        """Keeps what the next session has to know, over what was kept of this one before; gives its docid, ``None``
        where the session wrote one down itself, which stays."""
        self.prepare()
        log = self.sessions()
        given = log.get(session).session.handoff
        if given is not None and given != handoff(self.writer, session):
            return None
        docid = hand_off(self.writer, session, wish)
        log.handed_off(session, docid)
        return docid

    def save_state(self, session: str, text: str, project: str | None = None) -> Remembered:
        """Keeps the state of a session that is about to be compacted, over what was kept of it before."""
        self.prepare()
        return save_state(self.writer, session, text, project)

    def saved_state(self, session: str) -> StoredDocument | None:
        """Where the state of a session is kept; ``None`` where it is not."""
        path = state_path(session)
        with self.writer.store.read() as reader:
            docids = [place.docid for place in reader.look_up("place", [f"{INTERNAL}/{path}"])]
            rows = reader.find_rows("docid", docids, Filter(collections=(INTERNAL,)))
            return next((one for one in reader.documents(rows).values() if one.document.path == path), None)
