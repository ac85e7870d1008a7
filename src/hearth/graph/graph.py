"""How documents hang together: what people say of it, what is derived, and the names that they mention."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Unpack

from hearth.core import subjects
from hearth.core.errors import Conflict, Remedy, Unavailable, UsageError
from hearth.core.graph import TYPES, NamedEntity
from hearth.core.journal import Action, Changed, Draft
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.graph.name_reading import (
    DeclaredNames,
    NameFinder,
    find_declared_name,
    find_outdated,
    note_declared,
    note_known,
    read_known,
)
from hearth.memory.changer import Changer
from hearth.ports import Reader, Store, StoredDocument
from hearth.ports.files import Spread
from hearth.vault import linking
from hearth.vault.changes import Remarks, set_by
from hearth.vault.documents import DocumentTexts, find_unchanged, read_texts
from hearth.vault.history import History

if TYPE_CHECKING:
    from hearth.graph.deriving import Deriver, DeriveReport

STATABLE = tuple(name for name, kind in TYPES.items() if kind.statable)
_REPLACES = "supersedes"
_PERSON = "human"


@dataclass(frozen=True)
class Graph:
    """``state`` finds the documents that are meant, and changes what replaces what; ``deriver`` is loaded when
    relations are derived, ``names`` when names are read."""

    history: History
    state: Changer
    deriver: Callable[[], Deriver]
    names: Callable[[], NameReader]
    is_stale: Callable[[], bool]
    unasked: bool = True
    """Whether relations are derived, and names read, though nobody asks for it."""

    def missing(self) -> int:
        """Documents whose relations are to be derived: what ``build`` has to do."""
        if self.is_stale():
            return 0
        with self.history.store.read() as reader:
            return self.deriver().missing(reader)

    def build(self, progress: Callable[[int, int], None] = lambda done, total: None) -> DeriveReport:
        """Derives what is missing: what texts name, what is next in time, what hand-offs continue, what is alike.
        Raises ``Unavailable`` where another process of this machine is at it."""
        self.state.prepare()
        return self.deriver().run(progress)

    def relate(self, reference: str, kind: str, other: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Says that a document is related to another, by a type in ``STATABLE``; it goes before what is derived. Where
        it supersedes the other, that one leaves searches.

        Raises ``NotFound`` and ``Ambiguous`` for a reference, ``UsageError`` for another type or a document and itself,
        ``Conflict`` for a forgotten document."""
        metadata = Remarks(**remarks)
        source, target = self._ends(reference, kind, other)
        if kind == _REPLACES:
            done = self.state.supersede(f"#{target.document.docid}", f"#{source.document.docid}", **remarks)
            return _report("related" if done.events else "unchanged", source, kind, target, done.events)
        for end in (source, target):
            if end.state.forgotten:
                place = end.document.place
                raise Conflict(f"{place} is forgotten", _restore(end))
        origin = "person" if metadata.actor == _PERSON else "program"
        return self._say(source, kind, target, "relate", {"origin": origin}, metadata)

    def unrelate(self, reference: str, kind: str, other: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Says that a document is not related to another in this way: neither what somebody said nor what is derived
        counts any more, until somebody says so anew. Raises as ``relate``."""
        metadata = Remarks(**remarks)
        source, target = self._ends(reference, kind, other)
        if kind == _REPLACES:
            return self._bring_back(source, target, metadata)
        return self._say(source, kind, target, "unrelate", {"hide": True}, metadata)

    # -- details ---------------------------------------------------------------------------------------------------

    def _ends(self, reference: str, kind: str, other: str) -> tuple[StoredDocument, StoredDocument]:
        if kind not in STATABLE:
            raise UsageError(f"{kind[:64]!r} is not a relation; choose one of: {', '.join(STATABLE)}")
        self.state.prepare()
        source, target = (self.state.targets.one(one, described=False) for one in (reference, other))
        if source.document.docid == target.document.docid:
            raise UsageError(f"{source.document.path} can't be related to itself; name two documents")
        return source, target

    def _say(
        self,
        source: StoredDocument,
        kind: str,
        target: StoredDocument,
        event: str,
        data: Mapping[str, Any],
        metadata: Remarks,
    ) -> Changed:
        document = source.document
        field = subjects.name_relation(kind, target.document.docid)
        with self.history.store.read() as reader:
            was = self.history.registers(reader, document.docid).get(field)
            after = set_by(reader, document.docid, field)
            latest = _latest(reader, document.docid, kind, target.document.docid)
        wanted = dict(data) if event == "relate" else False
        if latest == wanted:
            return _report("unchanged", source, kind, target)
        ends = {"type": kind, "target": target.document.docid, "target_text": target.document.body_hash}
        data_written = {**ends, **data, **metadata.data(), "was": was, "after": after}
        events = self.history.record([Draft(event, document.docid, document.path, document.body_hash, data_written)])
        return _report("related" if event == "relate" else "unrelated", source, kind, target, tuple(events))

    def _bring_back(self, source: StoredDocument, target: StoredDocument, metadata: Remarks) -> Changed:
        """What the other one replaced returns, unless a file says so."""
        docid = target.document.docid
        with self.history.store.read() as reader:
            known = self.history.registers(reader, docid)
            by = known.get(linking.FIELD)
            if by != source.document.docid:
                note = _explain(reader, source, target)
                return _report("unchanged", source, _REPLACES, target, note=note)
            drafts = self.history.draft_change(reader, target.document, {linking.FIELD: None}, metadata.data())
        return _report("unrelated", source, _REPLACES, target, tuple(self.history.record(drafts)))


def _latest(reader: Reader, source: str, kind: str, target: str) -> Any:
    """What was said last of the two; of a symmetric type whichever end it was said of."""
    fields = {(source, subjects.name_relation(kind, target))}
    if TYPES[kind].symmetric:
        fields.add((target, subjects.name_relation(kind, source)))
    stated = [one for one in reader.find_relations([source]) if (one.subject, one.field) in fields]
    return max(stated, key=lambda one: one.stamp).value if stated else None


def _explain(reader: Reader, source: StoredDocument, target: StoredDocument) -> str:
    if target.document.docid in reader.links(source.document.docid, linking.KEY):
        return f"the file of #{source.document.docid} declares the relation: remove it from that file"
    return f"#{source.document.docid} does not supersede it"


def _report(
    action: Action,
    source: StoredDocument,
    kind: str,
    target: StoredDocument,
    events: tuple[str, ...] = (),
    note: str | None = None,
) -> Changed:
    document = source.document
    fields = (("type", kind), ("target", target.document.docid))
    return Changed(action, document.docid, document.collection, document.path, events, fields, note)


def _restore(stored: StoredDocument) -> Remedy:
    return Remedy(f"restore {stored.document.docid}", "restore", "restore it first: ")


MARK = "11"
"""Raise it where the rules of ``graph.name_reading``, or those of ``language.entities``, change."""
BULK_DOCUMENTS = 1_000
"""From so many on starting processes pays."""
# In one write transaction.
_BATCH = 64
# Documents that a question reads the names of, where nobody did so before.
_MOST_READ = 2_000


@dataclass(frozen=True)
class NameReader:
    """``spread`` shares out the reading of ``bulk`` documents or more."""

    store: Store
    spread: Spread = map
    bulk: int = BULK_DOCUMENTS

    def missing(self, reader: Reader) -> int:
        """Documents whose names are to be read."""
        return reader.count_waiting("entities", MARK)

    def run(self, most: int | None = None) -> int:
        """Reads the names of documents whose text has changed since, ``most`` of them at most, and once there are none,
        of those that hold a name which was declared since; gives how many it read."""
        with self.store.read() as reader:
            waiting = reader.waiting("entities", MARK, most)
        # First whom they declare, or those that name them were read twice.
        for first in range(0, len(waiting), _BATCH):
            with self.store.read() as reader:
                batch = list(reader.documents(waiting[first : first + _BATCH]).values())
            if any(find_declared_name(one.document) is not None for one in batch):
                with self.store.write() as writer:
                    note_declared(writer, (one.document for one in batch))
        with self.store.read() as reader:
            known = read_known(reader)
        read = self._read(waiting, known)
        with self.store.read() as reader:
            # Also what was written anew meanwhile waits for the next time.
            left = self.missing(reader)
        if left:
            return len(read)
        return len(read) + self._read_declared(None if most is None else most - len(read), known, read)

    def catch_up(self) -> None:
        """Before a question, of 2,000 documents at most; an index that can't be written, or is being written, tells
        what it holds."""
        with suppress(Unavailable):
            self.run(_MOST_READ)

    def _read(self, rows: Sequence[int], known: Mapping[str, NamedEntity]) -> set[int]:
        """Gives those whose text was still the same in the end."""
        under_way = deque[list[StoredDocument]]()

        def load() -> Iterator[DocumentTexts]:
            for first in range(0, len(rows), _BATCH):
                with self.store.read() as reader:
                    batch = list(reader.documents(rows[first : first + _BATCH]).values())
                    texts = read_texts(reader, batch)
                under_way.append(batch)
                yield texts

        share: Spread = self.spread if len(rows) >= self.bulk else map
        read = set[int]()
        for found in share(NameFinder(DeclaredNames(known)), load()):
            batch = under_way.popleft()
            with self.store.write() as writer:
                same = find_unchanged(writer, batch)
                done = [
                    stored
                    for stored, names in zip(batch, found, strict=True)
                    if stored.id in same and writer.set_entities(stored.id, MARK, names)
                ]
                note_declared(writer, (stored.document for stored in done))
            read.update(stored.id for stored in done)
        return read

    def _read_declared(self, most: int | None, known: Mapping[str, NamedEntity], read: Set[int]) -> int:
        """All of them or, where they are more than ``most``, none. ``read`` were read with these ``known`` ones."""
        with self.store.read() as reader:
            now = read_known(reader)
            fresh = read if now == known else ()
            whole = len(fresh) == reader.statistics().documents
            rows = [] if whole else [row for row in find_outdated(reader, now) if row not in fresh]
        if most is not None and len(rows) > most:
            return 0
        done = self._read(rows, now)
        with self.store.write() as writer:
            note_known(writer, now)
        return len(done)
