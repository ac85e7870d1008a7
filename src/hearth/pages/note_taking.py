"""A language model's notes on documents: which are read, how many, and what changes with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import field
from typing import TYPE_CHECKING, Any

from hearth.core import instants, subjects
from hearth.core.errors import BadReply, HearthError
from hearth.core.graph import SYMMETRIC, NoteLink, NoteSource, ReadNote, hash_fragment
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.memory import DERIVED
from hearth.graph.relations import draft_relation
from hearth.pages.document_notes import (
    ALIKE,
    EVOLVED,
    GAINED,
    MAX_TRIES,
    MOST_VERSIONS,
    NOTE,
    NoteBook,
    NoteFinder,
    forget_gone,
)
from hearth.ports import Clock, Filter, Reader, StoredDocument
from hearth.vault import usage_statistics
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.graph.deriving import DeriveReport
    from hearth.llm.documents import NoteReader
    from hearth.vault.vault import Vault

MOST_A_RUN = 8
"""Documents that one run has read."""
MOST_A_DAY = 100
"""And one machine in a day: sessions are read by the same budget."""
MOST_DOCUMENTS = 2_000
"""The newest of a vault are read; the rules read the others."""
_NEIGHBOURS, _LEAST_KEYWORDS = 8, 3
_JUDGE = "judge"
_STATED = frozenset({"supporting", "contradicts"})
"""What is said in the journal; that two are about the same thing their vectors say."""


@dataclass(slots=True)
class NoteReport:
    """``read`` documents were read by the model, ``waiting`` are still to be; ``missing`` says why some were not."""

    read: int = 0
    waiting: int = 0
    missing: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {"read": self.read, "waiting": self.waiting, "missing": self.missing}


@dataclass
class NoteTaker:
    """``model`` opens the language model, if there is one to be asked; ``lease`` is held by one process of the machine
    at a time, ``exclusive`` keeps what erases apart; ``collections`` are those whose documents are read; ``told``: what
    models said counts."""

    history: History
    book: NoteBook
    clock: Clock
    zone: str
    machine: str
    lease: Callable[[], AbstractContextManager[None]]
    exclusive: Callable[[], AbstractContextManager[None]]
    collections: Callable[[], tuple[str, ...]]
    model: Callable[[], NoteReader] | None = None
    told: bool = True

    def waiting(self) -> int:
        """Documents that are to be read, as many as may be today."""
        if self.model is None or (room := self._room()) < 1:
            return 0
        with self.history.store.read() as reader:
            return min(room, len(self._find_waiting(reader)))

    def run_leased(self) -> NoteReport:
        """Has the newest documents read that are to be; what can't be read now is told. Raises ``Unavailable`` where
        the index or the files can't be written."""
        done = NoteReport()
        if self.model is None:
            return done
        forget_gone(self.history.store, self.book.log, self.exclusive)
        room = min(MOST_A_RUN, self._room())
        with self.history.store.read() as reader:
            waiting = self._find_waiting(reader)
        done.waiting = len(waiting)
        for stored in waiting[: max(0, room)]:
            try:
                self._take(self.model(), stored)
            except BadReply as error:
                self._keep(stored, [self._failed(stored)])
                done.missing.append(f"{stored.document.path}: {error.said}")
                continue
            except HearthError as error:
                done.missing.append(error.said)
                break
            done.read, done.waiting = done.read + 1, done.waiting - 1
        return done

    # -- what is to be read ----------------------------------------------------------------------------------------

    def _room(self) -> int:
        """How many more this machine may have read today."""
        zone = instants.zone_of(self.zone)
        today = instants.show_date(self.clock(), zone)
        own = (one for one in self.book.standing().values() if one.machine == self.machine)
        return MOST_A_DAY - sum(instants.show_date(one.at, zone) == today for one in own)

    def _find_waiting(self, reader: Reader) -> list[StoredDocument]:
        """The newest first."""
        now, standing = self.clock(), self.book.standing()
        moved = usage_statistics.moves(reader)
        found = sorted(self._find_newest(reader, now), key=lambda one: one.document.newest_first)
        waiting = []
        for stored in filter(_counts, found):
            docid = stored.document.docid
            names = usage_statistics.former(reader, docid) if moved else [docid]
            state = next((standing[name] for name in names if name in standing), None)
            if state is None or state.is_due(stored.document.body_hash, now):
                waiting.append(stored)
        return waiting

    def _find_newest(self, reader: Reader, now: int) -> list[StoredDocument]:
        """All of a small vault, else what is dated nearest to now."""
        within = Filter(self.collections(), at=now)
        if reader.statistics().documents <= MOST_DOCUMENTS:
            return reader.find_documents(within, MOST_DOCUMENTS)
        return list(reader.documents(reader.documents_between(0, 2 * now, within, MOST_DOCUMENTS)).values())

    # -- reading one -----------------------------------------------------------------------------------------------

    def _take(self, model: NoteReader, stored: StoredDocument) -> None:
        with self.history.store.read() as reader:
            finder = NoteFinder(reader, Filter(at=self.clock()), self.zone)
            rules = finder.keywords(stored)
            near = [one for one, _ in finder.neighbours(stored.document.docid) if _counts(one)][:_NEIGHBOURS]
            shown, others = _source(finder, stored), [_source(finder, one) for one in near]
        note = model.read(shown, others) if len(rules) >= _LEAST_KEYWORDS else None
        if note is None:
            self._keep(stored, [self._failed(stored, MAX_TRIES)])
            return
        payload = {"keywords": list(note.keywords), "tags": list(note.tags), "context": note.context, "by": note.by}
        self._keep(stored, [_draft(NOTE, stored, payload)], note, near)

    def _keep(
        self,
        stored: StoredDocument,
        drafts: list[Draft],
        note: ReadNote | None = None,
        near: list[StoredDocument] | None = None,
    ) -> None:
        """What was said, unless the documents changed or went meanwhile: first how they stand to each other, then, in
        one write, the rest, so that a crash between the two has all of it said again."""
        with self.exclusive():
            self.history.replay()
            with self.history.store.read() as reader:
                within = Filter(at=self.clock())
                if not _is_as_it_was(reader, stored, within):
                    return
                related = {one.document.docid: one for one in near or () if _is_as_it_was(reader, one, within)}
                links = [one for one in (note.links if note else ()) if one.neighbour in related]
                stated = [
                    draft for one in links if (draft := _relate(reader, one, note.by if note else "")) is not None
                ]
                finder = NoteFinder(reader, within, self.zone)
                for one in links:
                    drafts += self._grow(finder, stored, related[one.neighbour], one, note)
            self.history.record(stated)
            self.book.log.append(drafts)

    def _grow(
        self, finder: NoteFinder, newcomer: StoredDocument, old: StoredDocument, link: NoteLink, note: ReadNote | None
    ) -> Iterator[Draft]:
        """What a later document adds to one that it is linked to, once a day."""
        day = finder.day(newcomer)
        if note is None or day is None or link.weight < ALIKE or not finder.came_later(newcomer, old):
            return
        names = usage_statistics.former(finder.reader, old.document.docid)
        versions = self.book.versions(names)
        if len(versions) == MOST_VERSIONS or any(one.day == day for one in versions):
            return
        before = self.book.note(names, old.document.body_hash)
        known = {word.casefold() for word in (finder.keywords(old) if before is None else before.keywords)}
        added = [word for word in finder.find_words(old, note.keywords) if word.casefold() not in known][:GAINED]
        if added or link.tags or link.context:
            payload = {"newcomer": newcomer.document.docid, "day": day, "weight": link.weight, "added": added}
            yield _draft(EVOLVED, old, {**payload, "tags": list(link.tags), "context": link.context, "by": note.by})

    def _failed(self, stored: StoredDocument, tries: int | None = None) -> Draft:
        """Another answer in vain."""
        before = self.book.standing().get(stored.document.docid)
        same = before is not None and before.body_hash == stored.document.body_hash
        return _draft(NOTE, stored, {"tries": tries or (before.tries if before is not None and same else 0) + 1})


def _counts(stored: StoredDocument) -> bool:
    """What others wrote is not read: it may be written for a model."""
    document = stored.document
    return document.trust != "external" and document.content_type not in DERIVED and not stored.vanished


def _is_as_it_was(reader: Reader, stored: StoredDocument, within: Filter) -> bool:
    docid = stored.document.docid
    present = reader.document(docid)
    same = present is not None and present.document.body_hash == stored.document.body_hash
    return same and bool(reader.find_rows("docid", [docid], within))


def _source(finder: NoteFinder, stored: StoredDocument) -> NoteSource:
    document = stored.document
    return NoteSource(document.docid, document.title, finder.day(stored) or "", finder.text(stored), document.tags)


def _draft(kind: str, stored: StoredDocument, data: Mapping[str, Any]) -> Draft:
    return Draft(kind, stored.document.docid, None, stored.document.body_hash, data)


def _relate(reader: Reader, link: NoteLink, by: str) -> Draft | None:
    """``None`` where anything was said of the two before: a person's word is not overruled."""
    source, target = reader.document(link.source), reader.document(link.target)
    if link.type not in _STATED or source is None or target is None:
        return None
    ends = [(link.source, link.target), *([(link.target, link.source)] if link.type in SYMMETRIC else [])]
    fields = {(one, subjects.name_relation(link.type, other)) for one, other in ends}
    if any((one.subject, one.field) in fields for one in reader.find_relations([link.source, link.target])):
        return None
    payload = {"weight": link.weight, "why": by, "places": list(_places(reader, link))}
    return draft_relation(source.document, link.type, target.document, _JUDGE, payload)


def _places(reader: Reader, link: NoteLink) -> Iterator[list[str | int]]:
    """The fragments that hold the words quoted."""
    own = link.target if link.neighbour == link.source else link.source
    for docid, quote in zip((own, link.neighbour), link.quotes, strict=True):
        stored, wanted = reader.document(docid), " ".join(quote.split()).casefold()
        for part in reader.fragments_of(stored.id) if stored is not None else ():
            if wanted in " ".join(part.text.split()).casefold():
                yield [docid, part.start_line, part.end_line, hash_fragment(part.text)]
                break


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """``summed_up`` counts entities whose files have a new synthesis."""

    relations: DeriveReport
    notes: NoteReport
    summed_up: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {**self.relations.to_dict(), "notes": self.notes.to_dict(), "summed_up": self.summed_up}


def build_graph(vault: Vault, progress: Callable[[int, int], None] = lambda done, total: None) -> BuiltGraph:
    """Derives the relations that are missing; a language model, where there is one, reads some of the documents that
    it has not read, and sums up some of the entities of which more is known. Raises ``Unavailable`` where another
    process of this machine is at it."""
    relations = vault.graph.build(progress)
    with vault.knowledge.notes.lease():
        return BuiltGraph(relations, vault.knowledge.notes.run_leased(), len(vault.knowledge.synthesis.rebuild()))
