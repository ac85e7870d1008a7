"""What a language model said of documents, folded from the files of all machines as the journal is: any order and any
repetition of the same lines comes to the same."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from hearth.core.journal import Event
from hearth.core.lazy import dataclass
from hearth.memory.sessions import statistics
from hearth.memory.state.purged import is_purged
from hearth.ports import NoteLog, Store

NOTE, EVOLVED, THREAD = "note", "evolved", "thread"
MAX_TRIES = 3
"""Answers in vain after which the rules' reading stands."""
MOST_VERSIONS = 20
_PAUSE_MS = 15 * 60_000
_MOST_TEXTS, _MOST_CHARS = 8, 240


@dataclass(frozen=True, slots=True)
class NoteStanding:
    """What was said last of a document: of the text of which hash, after how many answers in vain (0: it was read),
    when (ms UTC), on which machine."""

    body_hash: str
    tries: int
    at: int
    machine: str

    def is_due(self, body_hash: str, now: int) -> bool:
        """Whether the document, of this text now, is to be read (again)."""
        if self.body_hash != body_hash:
            return True
        return 0 < self.tries < MAX_TRIES and now >= self.at + _PAUSE_MS * 4 ** (self.tries - 1)


@dataclass(frozen=True, slots=True)
class ModelNote:
    """``by`` is the model and its prompt; ``context`` is empty where the rules' holds."""

    body_hash: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: str
    by: str


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """What ``newcomer`` (docid) added on ``day`` (YYYY-MM-DD), and what the document was about from then on."""

    newcomer: str
    day: str
    weight: float
    added: tuple[str, ...]
    body_hash: str
    tags: tuple[str, ...]
    context: str
    by: str


class NoteBook:
    """Thread-safe. Raises ``Unavailable`` where the files can't be read."""

    def __init__(self, log: NoteLog) -> None:
        self.log = log
        self._mutex = threading.Lock()
        self._position: Mapping[str, Any] = {}
        self._standing: dict[str, tuple[tuple[int, str, str], NoteStanding]] = {}

    def standing(self) -> dict[str, NoteStanding]:
        """By docid, of all documents of which anything was said."""
        with self._mutex:
            more = True
            while more:
                batch = self.log.read_after(self._position)
                if batch.lost:
                    self._standing.clear()
                    batch = self.log.read_after({})
                for event in batch.events:
                    self._fold(event)
                self._position, more = batch.position, batch.more
            return {docid: one for docid, (_, one) in self._standing.items()}

    def _fold(self, event: Event) -> None:
        if event.kind != NOTE or event.doc is None or event.body_hash is None:
            return
        known = self._standing.get(event.doc)
        if known is None or event.stamp > known[0]:
            tries = event.data.get("tries", 0)
            found = NoteStanding(event.body_hash, tries if type(tries) is int else 0, event.at, event.machine)
            self._standing[event.doc] = event.stamp, found

    def note(self, names: Sequence[str], body_hash: str) -> ModelNote | None:
        """What was said last of a document under its names; ``None`` where that was of another text, or nothing."""
        found = [event for event in self._events(names) if event.kind == NOTE]
        latest = max(found, key=lambda event: event.stamp, default=None)
        if latest is None or latest.body_hash != body_hash or not (keywords := _texts(latest.data.get("keywords"))):
            return None
        data = latest.data
        return ModelNote(
            body_hash, keywords, _texts(data.get("tags")), _text(data.get("context")), _text(data.get("by"))
        )

    def versions(self, names: Sequence[str]) -> list[ModelVersion]:
        """One a day, the first that was said, the oldest first; at most 20."""
        days: dict[str, ModelVersion] = {}
        found = (event for event in self._events(names) if event.kind == EVOLVED)
        for event in sorted(found, key=lambda event: event.stamp):
            data = event.data
            newcomer, day, weight = _text(data.get("newcomer")), _text(data.get("day")), data.get("weight")
            if newcomer and day and isinstance(weight, int | float):
                added, tags = _texts(data.get("added")), _texts(data.get("tags"))
                body, context, by = event.body_hash or "", _text(data.get("context")), _text(data.get("by"))
                days.setdefault(day, ModelVersion(newcomer, day, float(weight), added, body, tags, context, by))
        return [days[day] for day in sorted(days)][:MOST_VERSIONS]

    def threads(self, docids: Sequence[str]) -> dict[tuple[str, str], tuple[str, str]]:
        """What threads of these conversations are called, and by which model, by docid and key; empty where no name
        held."""
        latest: dict[tuple[str, str], Event] = {}
        for event in self._events(docids):
            key = event.doc or "", _text(event.data.get("thread"))
            if event.kind == THREAD and (key not in latest or event.stamp > latest[key].stamp):
                latest[key] = event
        return {key: (_text(one.data.get("title")), _text(one.data.get("by"))) for key, one in latest.items()}

    def _events(self, names: Sequence[str]) -> Iterable[Event]:
        return (event for event in self.log.newest(own=False, naming=names) if event.doc in names)


def forget_gone(store: Store, log: NoteLog, exclusive: Callable[[], AbstractContextManager[None]]) -> None:
    """Takes what was said of documents, and by documents, that are not there any more out of this machine's files.
    Raises ``Unavailable``."""
    with exclusive(), store.read() as reader:
        moved = statistics.moves(reader)

        @cache
        def is_there(name: str) -> bool:
            found = (reader.document(docid) for docid in statistics.present(name, moved))
            return any(one is not None and not is_purged(one.document) for one in found)

        log.erase(lambda event: not all(map(is_there, filter(None, (event.doc, event.data.get("newcomer"))))))


def _text(value: Any) -> str:
    """One line, as our own lines have it."""
    return " ".join(value.split())[:_MOST_CHARS] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    found = map(_text, value) if isinstance(value, list) else ()
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST_TEXTS]
