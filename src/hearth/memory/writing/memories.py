"""What the engine writes down: memories, daily notes, diaries, and the state of sessions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, Unpack

from hearth.core.document import INTERNAL
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.core.memory import Entry, NewMemory, Remembered
from hearth.core.query import MemoryOptions
from hearth.core.types import DEFAULT_TYPE
from hearth.memory.sessions.record import SessionLog
from hearth.memory.writing import sessions
from hearth.memory.writing.writer import MemoryWriter
from hearth.ports import Filter, StoredDocument

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

    def left(self) -> int:
        """How many there are to make up for, at most as many as one run does; cheap."""

    def catch_up(self, *, patient: bool = True) -> CaughtUp:
        """Makes up for some that are left; unless ``patient``, without a language model. Raises ``Unavailable`` where
        none was possible."""


@dataclass(frozen=True)
class Memories:
    """Each call is in its file, in the index and searchable on return. They raise as ``MemoryWriter.remember``.

    ``prepare`` brings up to date an index that is stale or knows nothing of memories that are there; ``follow`` is
    called with each that says something new."""

    writer: MemoryWriter
    sessions: Callable[[], SessionLog]
    prepare: Callable[[], None]
    follow: Follow

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
        done = self.writer.remember(wish)
        return self._notice(done) if done.action in _NEW else done

    def _notice(self, done: Remembered) -> Remembered:
        """What is written stays written where what follows from it can't be found out now: it is found out later."""
        try:
            found = self.follow(done.docid)
        except Unavailable:
            return done
        gone = (docid for docid in found.supersedes if docid != done.docid)
        return replace(done, supersedes=tuple(dict.fromkeys((*done.supersedes, *gone))), asks=found.asks)

    def note(self, text: str) -> Remembered:
        """Adds a text to today's daily file, under the present local time."""
        self.prepare()
        return self.writer.note(text)

    def write_diary(self, text: str, topic: str | None = None, agent: str = "agent") -> Remembered:
        """Keeps an entry of an agent's diary."""
        self.prepare()
        return sessions.write(self.writer, text, topic, agent)

    def read_diary(self, last: int = 10, *, agent: str | None = None, topic: str | None = None) -> list[Entry]:
        """The newest entries of the diary, newest first, with their text."""
        self.prepare()
        return sessions.read(self.writer, last, agent, topic)

    def hand_off(self, session: str, wish: NewMemory) -> str | None:
        """Keeps what the next session has to know, over what was kept of this one before; gives its docid, ``None``
        where the session wrote one down itself, which stays."""
        self.prepare()
        log = self.sessions()
        given = log.get(session).session.handoff
        if given is not None and given != sessions.handoff(self.writer, session):
            return None
        docid = sessions.hand_off(self.writer, session, wish)
        log.handed_off(session, docid)
        return docid

    def save_state(self, session: str, text: str, project: str | None = None) -> Remembered:
        """Keeps the state of a session that is about to be compacted, over what was kept of it before."""
        self.prepare()
        return sessions.save_state(self.writer, session, text, project)

    def saved_state(self, session: str) -> StoredDocument | None:
        """Where the state of a session is kept; ``None`` where it is not."""
        path = sessions.state_path(session)
        with self.writer.store.read() as reader:
            found = reader.find_documents(Filter(collections=(INTERNAL,), paths=(path,)))
        return next((stored for stored in found if stored.document.path == path), None)
