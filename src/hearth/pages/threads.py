"""Threads of sessions and topics of the vault, and names for threads by a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from hearth.capture.requests import says_much, title_of
from hearth.core import instants, subjects
from hearth.core.document import INTERNAL, Document
from hearth.core.errors import BadReply, NotFound
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONVERSATION, DERIVED
from hearth.core.session import session_of_conversation
from hearth.pages.document_notes import THREAD, NoteBook
from hearth.pages.identity import GAP_MS, ThreadTurns, read_turns
from hearth.pages.questions import spoken_lines
from hearth.pages.topics import Topic, TopicCounts
from hearth.ports import Clock, Filter, Reader, Store, StoredDocument
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.llm.pages import NightEditor

MOST_A_RUN = 8
"""Threads that one call of the language model names."""
MOST_CONVERSATIONS = 20
"""The newest are looked at, as many as are listed."""
_LINES, _CHARS = 12, 160
_MINUTE_MS = 60_000
"""Conversations tell times to the minute."""


@dataclass(frozen=True)
class ThreadNamer:
    """``editor`` opens the language model, if there is one; ``exclusive`` keeps what erases apart."""

    history: History
    book: NoteBook
    clock: Clock
    zone: str
    exclusive: Callable[[], AbstractContextManager[None]]
    editor: Callable[[], NightEditor] | None = None

    def waiting(self) -> int:
        """Threads that are to be named: they have ended, and the model was not asked of what is said in them."""
        return len(self._ended())

    def due_in(self) -> float | None:
        """Seconds until one is to be named; ``None`` where none is under way."""
        now = self.clock()
        return min((max(0, ended + GAP_MS - now) / 1000 for _, _, ended in self._unnamed()), default=None)

    def run(self) -> int:
        """Has some named, and gives how many were. Raises ``Unavailable`` where the model can't be asked, or the files
        can't be written."""
        if self.editor is None:
            return 0
        wanted = self._ended()[:MOST_A_RUN]
        if not wanted:
            return 0
        editor = self.editor()
        try:
            named = editor.edit((), [_shorten(turns) for _, turns in wanted]).themes
        except BadReply:
            named = {}
        with self.exclusive():
            self.history.replay()
            with self.history.store.read() as reader:
                docids = sorted({one.document.docid for one, _ in wanted})
                there = set(reader.find_rows("docid", docids, Filter(at=self.clock())).values())
            self.book.log.append(
                [
                    _draft(stored, turns, named.get(at, ""), editor.llm.name)
                    for at, (stored, turns) in enumerate(wanted)
                    if stored.document.docid in there
                ]
            )
        return len(named)

    def _ended(self) -> list[tuple[StoredDocument, ThreadTurns]]:
        now = self.clock()
        return [(stored, turns) for stored, turns, ended in self._unnamed() if now - ended > GAP_MS]

    def _unnamed(self) -> list[tuple[StoredDocument, ThreadTurns, int]]:
        """With when the last turn was, of the newest conversations first."""
        if self.editor is None:
            return []
        with self.history.store.read() as reader:
            found = reader.each_document(Filter((INTERNAL,), (CONVERSATION,), at=self.clock()))
            newest = sorted(found, key=lambda one: one.document.newest_first)[:MOST_CONVERSATIONS]
            known = self.book.threads([one.document.docid for one in newest]) if newest else {}
            return [
                (stored, turns, turns.ended or 0)
                for stored in newest
                for turns in read_turns(reader, stored, instants.zone_of(self.zone))
                if turns.prompt_lines and (stored.document.docid, turns.key) not in known
            ]


def _shorten(turns: ThreadTurns) -> list[str]:
    requests = (" ".join(line.split())[:_CHARS] for line in turns.prompt_lines if line.strip())
    return list(islice(requests, _LINES))


def _draft(stored: StoredDocument, turns: ThreadTurns, title: str, by: str) -> Draft:
    payload = {"thread": turns.key, "title": title, "by": by}
    return Draft(THREAD, stored.document.docid, None, stored.document.body_hash, payload)


MAX_DOCUMENTS = 2_000
"""The newest; what is older is counted and left out."""
_MAX_TEXT = 64 * 1024
_HEADING = regex(r"#{1,6}\s")


@dataclass(frozen=True, slots=True)
class Thread:
    """``began`` and ``ended`` are ms UTC, ``turns`` the person's, lines those of the document. ``named_by`` is the
    language model that gave the title, ``None`` for the rules."""

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
    named_by: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ThreadMemories:
    """A thread and the memories that were captured from what was said in it, oldest first."""

    thread: Thread
    memories: tuple[Document, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        names = ("docid", "collection", "path", "title", "content_type")
        return {
            "thread": self.thread.to_dict(),
            "memories": [{name: getattr(one, name) for name in names} for one in self.memories],
        }


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


@dataclass(frozen=True)
class Overview:
    """``prepare`` brings an index of another version up to date; ``named`` tells what a language model calls the
    threads of documents, by docid and ``ThreadTurns.key``, with the model."""

    store: Store
    clock: Clock
    zone: str
    prepare: Callable[[], None]
    named: Callable[[Sequence[str]], Mapping[tuple[str, str], tuple[str, str]]] = lambda docids: {}

    def threads(self, limit: int = 20, session: str | None = None) -> list[Thread]:
        """The newest first, of all sessions or one. Raises ``NotFound`` for a session without a conversation."""
        self.prepare()
        with self.store.read() as reader:
            found = self._find_talks(reader, session)
            if session is not None and not found:
                raise NotFound(f"no conversation of session {session[:80]!r}; hearth threads lists them")
            newest = found[:limit]
            named = self.named([one.document.docid for one in newest]) if newest else {}
            threads = [one for stored in newest for one in self._of(reader, stored, named)]
        return sorted(threads, key=lambda one: (-(one.began or 0), one.path, one.start_line))[:limit]

    def thread_of(self, docid: str, line: int | None = None) -> ThreadMemories:
        """The thread that a memory was captured from, or that holds a line of a conversation (the last thread without
        one), with all memories from it. Raises ``NotFound`` where there is none."""
        self.prepare()
        with self.store.read() as reader:
            stored = reader.document(docid)
            session = None if stored is None else session_of_conversation(stored.document.facts)
            if stored is None or not session:
                raise NotFound(f"#{docid} is no conversation, and was captured from none")
            is_talk = stored.document.content_type == CONVERSATION
            for talk in [stored] if is_talk else self._find_talks(reader, session):
                runs = read_turns(reader, talk, instants.zone_of(self.zone))
                held = _find_at(runs, line) if is_talk else find_run(runs, stored.document)
                thread = None if held is None else self._name_run(reader, talk, held)
                if thread is not None:
                    memories = [one for one in _list_memories(reader, session) if find_run(runs, one) is held]
                    memories.sort(key=lambda one: (one.dated_at or 0, one.docid))
                    return ThreadMemories(thread, tuple(memories))
        raise NotFound(f"no thread of session {session[:80]!r} holds #{docid}")

    def topics(self) -> TopicReport:
        """The weightiest first, of the newest documents; what came from elsewhere is left out."""
        self.prepare()
        now, counts = self.clock(), TopicCounts()
        with self.store.read() as reader:
            documents = [
                one
                for one in reader.each_document(Filter(at=now))
                if one.document.trust != "external" and one.document.content_type not in DERIVED
            ]
            documents.sort(key=lambda one: one.document.newest_first)
            for stored in documents[:MAX_DOCUMENTS]:
                dated = stored.document.dated_at
                text, headings = _read(reader, stored)
                counts.add(
                    [text],
                    None if dated is None else (now - dated) / DAY_MS,
                    headings,
                    (stored.document.title, *stored.document.tags),
                    stored.document.language,
                    asks=stored.document.content_type == CONVERSATION,
                )
        return TopicReport(tuple(counts.rank()), counts.documents, len(documents) - counts.documents)

    def _find_talks(self, reader: Reader, session: str | None) -> list[StoredDocument]:
        """Conversations of one session, or of all, the newest first."""
        within = Filter((INTERNAL,), (CONVERSATION,), at=self.clock())
        talks = reader.each_document(within)
        found = [one for one in talks if session in (None, session_of_conversation(one.document.facts))]
        return sorted(found, key=lambda one: one.document.newest_first)

    def _name_run(self, reader: Reader, talk: StoredDocument, run: ThreadTurns) -> Thread | None:
        listed = self._of(reader, talk, self.named([talk.document.docid]))
        return next((one for one in listed if one.start_line == run.start_line), None)

    def _of(
        self, reader: Reader, stored: StoredDocument, named: Mapping[tuple[str, str], tuple[str, str]]
    ) -> Iterator[Thread]:
        document, before = stored.document, ""
        for run in read_turns(reader, stored, instants.zone_of(self.zone)):
            title, by = named.get((document.docid, run.key), ("", None))
            asked = title_of(run.request)
            if before and not says_much(run.request):
                asked = ""
            before = asked or before
            if not before:
                continue
            yield Thread(
                title=title or asked or f"{before} (continued)",
                named_by=by if title else None,
                session=session_of_conversation(document.facts) or "",
                project=document.facts.get("project"),
                began=run.began,
                ended=run.ended,
                turns=run.turns,
                docid=document.docid,
                path=document.path,
                start_line=run.start_line,
                end_line=run.end_line,
            )


def _find_at(runs: Sequence[ThreadTurns], line: int | None) -> ThreadTurns | None:
    """The last that begins at a line or above it, of a line above all of them the first; the last without a line."""
    first = runs[0] if runs else None
    return next((run for run in reversed(runs) if line is None or run.start_line <= line), first)


def find_run(runs: Sequence[ThreadTurns], memory: Document) -> ThreadTurns | None:
    """The part of a conversation that a memory was captured from: where the person said what it quotes, else what was
    said when it is dated."""
    quote = _flatten(memory.facts.get("evidence", ""))
    if quote:
        said = next((run for run in runs if quote in _flatten(" ".join(run.prompt_lines))), None)
        if said is not None:
            return said
    at = memory.dated_at
    if at is None:
        return None
    return next((run for run in runs if (run.began or at + 1) <= at <= (run.ended or 0) + _MINUTE_MS), None)


def _flatten(text: str) -> str:
    return " ".join(text.split()).casefold()


def _list_memories(reader: Reader, session: str) -> Iterator[Document]:
    """What was captured of a session and still holds, but for what it said and handed on."""
    captured = reader.keys(subjects.name_session(session), "captured")
    for docid in sorted({subjects.read_captured(name)[1] for name in captured}):
        stored = reader.document(docid)
        if stored is None or stored.state.hidden or stored.vanished:
            continue
        if stored.document.content_type not in (CONVERSATION, "handoff"):
            yield stored.document


def _read(reader: Reader, stored: StoredDocument) -> tuple[str, list[str]]:
    """What people say in it, and the headings above: an assistant's words are about anything."""
    room, rows, headings = _MAX_TEXT, list[str](), list[str]()
    for line in spoken_lines(reader, stored):
        if line.head is None and line.by_person and room > 0:
            heading = _HEADING.match(line.text)
            (rows if heading is None else headings).append(line.text[:room])
            room -= len(line.text)
    return "\n".join(rows), headings
