"""Writing the index in memory, on a copy that nobody else sees yet."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.core.document import TERM_FIELDS, Document, DocumentState, FileState
from hearth.core.folded import Folded
from hearth.core.fragment import AnalyzedFragment
from hearth.core.graph import FILE, LINKS, DocumentRelation, NamedEntity
from hearth.core.journal import Member, Register
from hearth.markdown.links import number_key, stem
from hearth.ports import (
    CollectionState,
    DocumentRecord,
    Failure,
    MeanVector,
    Posting,
    Skipped,
    StoredDocument,
    StoredFragment,
    TermRow,
)
from hearth.store.memory.data import Vector
from hearth.store.memory.graph_readers import InMemoryReader
from hearth.store.memory.readers import InMemoryBase, InMemoryCollectionReader
from hearth.text.names import document_keys
from hearth.text.packed import Packed, pack

if TYPE_CHECKING:
    from hearth.ports import Bytes


class InMemoryFragmentWriter(InMemoryBase):
    """Puts and clears what a document itself does not hold."""

    def _put_fragments(self, document: int, fragments: Sequence[AnalyzedFragment], *, keep: bool) -> tuple[int, ...]:
        """The ids of the fragments, in place of those that the document had; where ``keep``, one that is as it was
        stays."""
        data = self._data
        known = {replace(data.fragments[row], id=0): row for row in data.parts.get(document, ()) if keep}
        made = [_shape(document, item) for item in fragments]
        self._clear(document, {known[stored] for stored in made if stored in known})
        pairs = zip(made, fragments, strict=True)
        return tuple(known.get(stored) or self._put_fragment(stored, item) for stored, item in pairs)

    def _put_fragment(self, stored: StoredFragment, item: AnalyzedFragment) -> int:
        data = self._data
        data.last_fragment += 1
        identity = data.last_fragment
        posting = pack((self._term(term), count) for term, count in sorted(item.terms.items()))
        data.fragments[identity] = replace(stored, id=identity)
        data.postings[identity] = Posting(identity, stored.document, item.length, posting)
        packed = Packed(posting)
        strong = frozenset(packed.strong_ids())
        for term in packed.ids():
            self._count(term, 1, int(term in strong))
        data.length += item.length
        return identity

    def _term(self, term: str) -> int:
        data = self._data
        if term not in data.terms:
            row = TermRow(term, len(data.terms) + 1, 0, 0)
            data.terms[term], data.term_names[row.id] = row, term
        return data.terms[term].id

    def _count(self, identity: int, df: int, strong: int) -> None:
        term = self._data.term_names[identity]
        row = self._data.terms[term]
        self._data.terms[term] = TermRow(term, identity, row.df + df, row.strong + strong)

    def _clear(self, document: int, kept: Collection[int] = ()) -> None:
        """Removes everything derived from a document, its row and the fragments that are ``kept`` excepted."""
        data = self._data
        data.mentions.pop(document, None)
        data.written.pop(document, None)
        data.named.pop(document, None)
        for fragment in data.parts.pop(document, ()):
            if fragment in kept:
                continue
            del data.fragments[fragment]
            posting = data.postings.pop(fragment)
            packed = Packed(posting.packed)
            strong = frozenset(packed.strong_ids())
            for term in packed.ids():
                self._count(term, -1, -int(term in strong))
            data.length -= posting.length
            for held in data.vectors.values():
                data.vector_removals += held.pop(fragment, None) is not None
            for key in [key for key in data.failures if key[1] == fragment]:
                del data.failures[key]


def _shape(document: int, item: AnalyzedFragment) -> StoredFragment:
    """Still without a number: equal where nothing of a fragment has changed, as long as its document has the same names
    and language."""
    part = item.fragment
    lines, offsets = (part.start_line, part.end_line), (item.start_byte, item.end_byte)
    return StoredFragment(0, document, part.seq, part.kind, *lines, *offsets, part.headings, part.context, part.text)


class InMemoryRelationWriter(InMemoryFragmentWriter):
    """Implements ``ports.RelationWriter``."""

    def set_relations(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[str, tuple[int, int]]:
        owner = self._data.by_docid.get(docid)
        if owner is None:
            return dict.fromkeys(relations, (0, 0))
        owned = self._data.relations.setdefault(owner, {})
        changes = {}
        for origin, found in relations.items():
            before = set(owned.get(origin, ()))
            rows = dict.fromkeys(one._replace(origin=origin) for one in found)
            owned[origin] = tuple(rows)
            changes[origin] = len(rows.keys() - before), len(before - rows.keys())
        return changes

    def set_links(self, docid: str, links: Iterable[DocumentRelation]) -> None:
        rows = list(links)
        self.set_relations(docid, {origin: [one for one in rows if one.origin == origin] for origin in (LINKS, FILE)})
        self._data.unlinked.discard(self._data.by_docid.get(docid, 0))

    def set_mark(self, docids: Iterable[str], mark: str) -> None:
        for docid in docids:
            if (row := self._data.by_docid.get(docid)) is not None:
                self._data.marks[row] = mark

    def clear_marks(self, documents: Iterable[int]) -> None:
        for document in documents:
            self._data.marks.pop(document, None)

    def set_means(self, means: Iterable[MeanVector]) -> None:
        self._data.means.update((one.document, one) for one in means)

    def set_reach(self, reaches: Mapping[int, float]) -> None:
        for document, reach in reaches.items():
            if (mean := self._data.means.get(document)) is not None:
                self._data.means[document] = replace(mean, reach=reach)

    def drop_means(self, documents: Iterable[int] | None = None) -> None:
        for document in list(self._data.means) if documents is None else documents:
            self._data.means.pop(document, None)

    def set_background(self, key: str, value: str) -> None:
        self._data.meta[key] = value

    def _drop_relations(self, owner: int, docid: str | None = None) -> None:
        """What was derived from a document, and with ``docid`` what has it at an end: whatever that was derived from is
        to be looked at again. What files name stays until their links are resolved again."""
        own = self._data.relations.get(owner, {})
        self._data.relations[owner] = {origin: rows for origin, rows in own.items() if origin in (LINKS, FILE)}
        self._data.marks.pop(owner, None)
        if docid is None:
            return
        for row, owned in self._data.relations.items():
            for origin, rows in owned.items():
                if origin in (LINKS, FILE):
                    continue
                kept = tuple(one for one in rows if docid not in (one.source, one.target))
                if kept != rows:
                    owned[origin] = kept
                    self._data.marks.pop(row, None)


class InMemoryEntityWriter(InMemoryRelationWriter):
    """Implements ``ports.EntityWriter``."""

    def set_entities(self, document: int, mark: str, found: Sequence[tuple[int, NamedEntity]]) -> bool:
        parts = self._data.parts.get(document, ())
        if document not in self._data.documents or not set(parts).issuperset(fragment for fragment, _ in found):
            return False
        self._data.entities[document] = (mark, tuple(sorted(set(found))))
        return True

    def _drop_entities(self, document: int) -> None:
        self._data.entities.pop(document, None)


class InMemoryDocumentWriter(InMemoryEntityWriter):
    """Implements ``ports.DocumentWriter``."""

    def put(self, record: DocumentRecord) -> bool:
        data, document = self._data, record.document
        place = (document.collection, document.path)
        rows = {row for row in (data.by_docid.get(document.docid), data.by_path.get(place)) if row is not None}
        old = data.documents[next(iter(rows))] if rows else None
        if len(rows) > 1 or (old.document.raw_hash if old else None) != record.expected_hash:
            return False
        if old is None:
            data.last_document += 1
            stored = StoredDocument(data.last_document, document, record.file, problem=record.problem)
        else:
            del data.by_docid[old.document.docid], data.by_path[old.document.collection, old.document.path]
            stored = replace(old, document=document, file=record.file, vanished=False, problem=record.problem)
        data.documents[stored.id] = stored
        self._drop_entities(stored.id)
        renamed = old is not None and old.document.docid != document.docid
        self._drop_relations(stored.id, old.document.docid if old is not None and renamed else None)
        data.by_docid[document.docid] = data.by_path[place] = stored.id
        keep = old is not None and all(getattr(old.document, name) == getattr(document, name) for name in TERM_FIELDS)
        data.parts[stored.id] = self._put_fragments(stored.id, record.fragments, keep=keep)
        data.written[stored.id] = record.links
        self._mention(stored.id, record.mentions)
        for path in {document.path} if old is None else {document.path, old.document.path}:
            if old is None or (old.document.docid, old.document.path) != (document.docid, document.path):
                self._unlink(document.collection, path)
        data.named[stored.id] = document_keys(document.title, document.path, document.aliases)
        return True

    def _mention(self, row: int, mentions: Iterable[str]) -> None:
        data = self._data
        data.mentions[row] = frozenset(mentions)
        owned = data.relations.get(row, {})
        if data.mentions[row] or owned.get(LINKS) or owned.get(FILE):
            data.unlinked.add(row)
        else:
            data.unlinked.discard(row)

    def _unlink(self, collection: str, path: str) -> None:
        """What may mean this path has to be looked at again."""
        data, wanted = self._data, {stem(path), number_key(path)}
        for row, mentions in data.mentions.items():
            if not wanted.isdisjoint(mentions) and data.documents[row].document.collection == collection:
                data.unlinked.add(row)

    def remove(self, docid: str) -> None:
        row = self._data.by_docid.pop(docid, None)
        if row is not None:
            self._drop_entities(row)
            self._drop_relations(row, docid)
            self._clear(row)
            self._data.relations.pop(row, None)
            self._data.unlinked.discard(row)
            document = self._data.documents.pop(row).document
            del self._data.by_path[document.collection, document.path]
            self._unlink(document.collection, document.path)

    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        row = self._data.by_docid.get(document.docid)
        if row is not None:
            self._drop_entities(row)
            self._drop_relations(row, document.docid)
            self._clear(row)
            self._mention(row, mentions)
            self._change(document.docid, document=document, problem=None)

    def touch(self, docid: str, file: FileState) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            document = replace(self._data.documents[row].document, modified_at=file.modified_at)
            self._change(docid, document=document, file=file, vanished=False)

    def set_committed(self, docid: str, at: int | None, by: str | None) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            self._data.marks.pop(row, None)
            self._change(docid, document=replace(self._data.documents[row].document, committed_at=at, committed_by=by))

    def set_vanished(self, docids: Sequence[str], vanished: bool) -> None:
        for docid in docids:
            self._change(docid, vanished=vanished)

    def _change(self, docid: str, **fields: Any) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            self._data.documents[row] = replace(self._data.documents[row], **fields)

    def merge_terms(self) -> None:
        """There is nothing to merge."""

    def set_state(self, docid: str, state: DocumentState) -> None:
        self._change(docid, state=state)


class InMemoryCollectionWriter(InMemoryDocumentWriter, InMemoryCollectionReader):
    """Implements ``ports.CollectionWriter``; a collection takes its documents along."""

    def set_collection(self, state: CollectionState) -> None:
        self._data.collections[state.name] = state

    def drop_collection(self, name: str) -> None:
        for file in self.files(name).values():
            self.remove(file.docid)
        self._data.collections.pop(name, None)
        self._data.skipped.pop(name, None)

    def set_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None:
        self._data.skipped[collection] = tuple(skipped)


class InMemoryStateWriter(InMemoryBase):
    """Implements ``ports.StateWriter``."""

    def forget_journal(self) -> None:
        self._data.folded = Folded()
        self.set_journal_position({})

    def fold(self, primitives: Iterable[Register | Member]) -> None:
        self._data.folded.apply(primitives)

    def set_journal_position(self, position: Mapping[str, Any]) -> None:
        self.set_meta("journal", json.dumps(position, sort_keys=True))

    def set_meta(self, key: str, value: str) -> None:
        self._data.meta[key] = value


class InMemoryVectorWriter(InMemoryBase):
    """Implements ``ports.VectorWriter``."""

    def put_vectors(
        self, space: str, fragments: Sequence[int], vectors: Sequence[Bytes], scales: Sequence[float]
    ) -> None:
        data = self._data
        held = data.vectors.setdefault(space, {})
        last = max(held, default=0)
        for row, levels, scale in zip(fragments, vectors, scales, strict=True):
            fragment = data.fragments.get(int(row))
            data.failures.pop((space, int(row)), None)
            if fragment is not None:
                data.vector_removals += fragment.id <= last
                data.marks.pop(fragment.document, None)
                held[fragment.id] = Vector(fragment.document, levels.copy(), float(scale))

    def note_failure(self, space: str, fragment: int, error: str) -> None:
        known = self._data.failures.get((space, fragment))
        self._data.failures[space, fragment] = Failure(fragment, known.tries + 1 if known else 1, error)

    def drop_space(self, space: str) -> None:
        data = self._data
        data.vector_removals += len(data.vectors.pop(space, {}))
        for key in [key for key in data.failures if key[0] == space]:
            del data.failures[key]


class InMemoryWriter(InMemoryCollectionWriter, InMemoryVectorWriter, InMemoryStateWriter, InMemoryReader):
    """Implements ``ports.Writer``."""
