"""Threads: what sessions talked about without a longer pause, and topics: what the whole vault is about. Both are made
anew each time, of what the index holds; nothing is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, field
from datetime import date, datetime, time, tzinfo
from typing import Any

from hearth.engine.knowledge.spoken import SpokenLine, spoken_lines
from hearth.errors import NotFound
from hearth.extract.pages.topics import Topic, TopicCounts, title, words
from hearth.lazy import dataclass, regex
from hearth.model import instants
from hearth.model.identity import INTERNAL
from hearth.model.instants import DAY_MS
from hearth.model.types import CONVERSATION, DERIVED
from hearth.ports import Clock, Filter, Reader, Store, StoredDocument

GAP_MS = 30 * 60_000
"""A longer pause begins another thread."""
MAX_DOCUMENTS = 2_000
"""The newest; what is older is counted and left out."""
_MAX_TEXT = 64 * 1024
_UNTITLED = "untitled"
_HEADING = regex(r"#{1,6}\s")
_DAY = regex(r"(\d{4}-\d{2}-\d{2})-")


@dataclass(frozen=True, slots=True)
class Thread:
    """``began`` and ``ended`` are ms UTC, ``turns`` the person's, lines those of the document."""

    title: str
    session: str
    project: str | None
    began: int | None
    ended: int | None
    turns: int
    docid: str
    path: str
    start_line: int
    end_line: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TopicReport:
    """Of ``documents``, the newest; ``left_out`` are the others."""

    topics: tuple[Topic, ...]
    documents: int
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        listed = [one.to_dict() for one in self.topics]
        return {"topics": listed, "documents": self.documents, "left_out": self.left_out}


@dataclass(slots=True)
class _Run:
    """Turns without a pause."""

    start_line: int
    end_line: int
    began: int | None
    ended: int | None
    turns: int = 0
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)

    def title(self, reader: Reader, every: int) -> str:
        """Of what the person said; of all that was said where that says nothing."""
        for text in ("\n".join(self.asked), "\n".join((*self.asked, *self.answered))):
            df = {term: float(row.df) for term, row in reader.terms(words([text])).items()}
            if found := title([text], df, every):
                return found
        return _UNTITLED


@dataclass(frozen=True)
class Overview:
    """``prepare`` brings an index of another version up to date."""

    store: Store
    clock: Clock
    zone: str
    prepare: Callable[[], None]

    def threads(self, limit: int = 20, session: str | None = None) -> list[Thread]:
        """The newest first, of all sessions or one. Raises ``NotFound`` for a session without a conversation."""
        self.prepare()
        with self.store.read() as reader:
            within = Filter((INTERNAL,), (CONVERSATION,), at=self.clock())
            found = [
                one for one in reader.find_documents(within) if session in (None, one.document.facts.get("session"))
            ]
            if session is not None and not found:
                raise NotFound(f"no conversation of session {session[:80]!r}; hearth threads lists them")
            found.sort(key=lambda one: one.document.newest_first)
            threads = [one for stored in found[:limit] for one in self._of(reader, stored)]
        return sorted(threads, key=lambda one: (-(one.began or 0), one.path, one.start_line))[:limit]

    def topics(self) -> TopicReport:
        """The weightiest first, of the newest documents; what came from elsewhere is left out."""
        self.prepare()
        now, counts = self.clock(), TopicCounts()
        with self.store.read() as reader:
            documents = [
                one
                for one in reader.find_documents(Filter(at=now))
                if one.document.trust != "external" and one.document.content_type not in DERIVED
            ]
            documents.sort(key=lambda one: one.document.newest_first)
            for stored in documents[:MAX_DOCUMENTS]:
                dated = stored.document.dated_at
                text, headings = _read(reader, stored)
                counts.add([text], None if dated is None else (now - dated) / DAY_MS, headings)
        return TopicReport(tuple(counts.rank()), counts.documents, len(documents) - counts.documents)

    def _of(self, reader: Reader, stored: StoredDocument) -> Iterator[Thread]:
        document = stored.document
        every = reader.statistics().fragments
        for run in _runs(reader, stored, instants.zone_of(self.zone)):
            yield Thread(
                title=run.title(reader, every),
                session=document.facts.get("session", ""),
                project=document.facts.get("project"),
                began=run.began,
                ended=run.ended,
                turns=run.turns,
                docid=document.docid,
                path=document.path,
                start_line=run.start_line,
                end_line=run.end_line,
            )


def _runs(reader: Reader, stored: StoredDocument, zone: tzinfo) -> list[_Run]:
    named = _DAY.match(stored.document.path.rpartition("/")[2])
    day = None if named is None else date.fromisoformat(named[1])
    runs: list[_Run] = []
    for line in spoken_lines(reader, stored):
        if line.head is not None:
            _turn(runs, line, _instant(line.head, day, zone))
        elif runs:
            runs[-1].end_line = line.number
            (runs[-1].asked if line.by_person else runs[-1].answered).append(line.text)
    return runs


def _turn(runs: list[_Run], line: SpokenLine, at: int | None) -> None:
    """Goes on with the last run, or begins another one after a pause."""
    last = runs[-1] if runs else None
    if last is None or (at is not None and last.ended is not None and at - last.ended > GAP_MS):
        last = _Run(line.number, line.number, at, at)
        runs.append(last)
    last.end_line = line.number
    last.ended = last.ended if at is None else at
    last.turns += line.by_person


def _instant(head: tuple[str | None, str | None, str | None], day: date | None, zone: tzinfo) -> int | None:
    on = date.fromisoformat(head[0]) if head[0] else day
    if on is None or head[1] is None or head[2] is None:
        return None
    return instants.of(datetime.combine(on, time(int(head[1]), int(head[2])), zone))


def _read(reader: Reader, stored: StoredDocument) -> tuple[str, list[str]]:
    """What people say in it, and the headings above: an assistant's words are about anything."""
    room, rows, headings = _MAX_TEXT, list[str](), list[str]()
    for line in spoken_lines(reader, stored):
        if line.head is None and line.by_person and room > 0:
            heading = _HEADING.match(line.text)
            (rows if heading is None else headings).append(line.text[:room])
            room -= len(line.text)
    return "\n".join(rows), headings
