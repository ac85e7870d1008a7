"""Writing the index in memory, on a copy that nobody else sees yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.markdown.links import stem
from hearth.model.document import Document, DocumentState, FileState
from hearth.model.fragment import AnalyzedFragment
from hearth.model.journal.state import Member, Register
from hearth.ports import (
    CollectionState,
    DocumentRecord,
    Failure,
    Posting,
    Skipped,
    StoredDocument,
    StoredFragment,
    TermRow,
)
from hearth.store.memory.data import Vector
from hearth.store.memory.folded import Folded
from hearth.store.memory.reader import MemoryReader
from hearth.text.names import document_keys
from hearth.text.packed import Packed, pack, prominent

if TYPE_CHECKING:
    from hearth.ports import Bytes


class MemoryWriter(MemoryReader):
    """Implements ``ports.Writer``."""

    # -- documents -------------------------------------------------------------------------------------------------

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
            self._clear(old.id)
            del data.by_docid[old.document.docid], data.by_path[old.document.collection, old.document.path]
            stored = replace(old, document=document, file=record.file, vanished=False, problem=record.problem)
        data.documents[stored.id] = stored
        data.by_docid[document.docid] = data.by_path[place] = stored.id
        data.parts[stored.id] = tuple(self._put_fragment(stored.id, item) for item in record.fragments)
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
        if data.mentions[row] or data.links.get(row):
            data.unlinked.add(row)
        else:
            data.unlinked.discard(row)

    def _unlink(self, collection: str, path: str) -> None:
        """What may mean this path has to be looked at again."""
        data, wanted = self._data, stem(path)
        for row, mentions in data.mentions.items():
            if wanted in mentions and data.documents[row].document.collection == collection:
                data.unlinked.add(row)

    def _put_fragment(self, document: int, item: AnalyzedFragment) -> int:
        data, part = self._data, item.fragment
        data.last_fragment += 1
        identity = data.last_fragment
        lines, offsets = (part.start_line, part.end_line), (item.start_byte, item.end_byte)
        data.fragments[identity] = StoredFragment(
            identity, document, part.seq, part.kind, *lines, *offsets, part.headings, part.context, part.text
        )
        counts = [(self._term(term), count) for term, count in sorted(item.terms.items())]
        for term, count in counts:
            self._count(term, 1, int(prominent(count)))
        data.postings[identity] = Posting(identity, document, item.length, pack(counts))
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

    def _clear(self, document: int) -> None:
        """Removes everything derived from a document, its row excepted."""
        data = self._data
        data.mentions.pop(document, None)
        data.written.pop(document, None)
        data.named.pop(document, None)
        for fragment in data.parts.pop(document, ()):
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

    def remove(self, docid: str) -> None:
        row = self._data.by_docid.pop(docid, None)
        if row is not None:
            self._clear(row)
            self._data.links.pop(row, None)
            self._data.unlinked.discard(row)
            document = self._data.documents.pop(row).document
            del self._data.by_path[document.collection, document.path]
            self._unlink(document.collection, document.path)

    def set_links(self, docid: str, links: Iterable[str]) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            self._data.links[row] = frozenset(links)
            self._data.unlinked.discard(row)

    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        row = self._data.by_docid.get(document.docid)
        if row is not None:
            self._clear(row)
            self._mention(row, mentions)
            self._change(document.docid, document=document, problem=None)

    def touch(self, docid: str, file: FileState) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            document = replace(self._data.documents[row].document, modified_at=file.modified_at)
            self._change(docid, document=document, file=file, vanished=False)

    def set_committed(self, docid: str, at: int | None) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            self._change(docid, document=replace(self._data.documents[row].document, committed_at=at))

    def set_vanished(self, docids: Sequence[str], vanished: bool) -> None:
        for docid in docids:
            self._change(docid, vanished=vanished)

    def _change(self, docid: str, **fields: Any) -> None:
        row = self._data.by_docid.get(docid)
        if row is not None:
            self._data.documents[row] = replace(self._data.documents[row], **fields)

    def set_collection(self, state: CollectionState) -> None:
        self._data.collections[state.name] = state

    def drop_collection(self, name: str) -> None:
        for file in self.files(name).values():
            self.remove(file.docid)
        self._data.collections.pop(name, None)
        self._data.skipped.pop(name, None)

    def set_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None:
        self._data.skipped[collection] = tuple(skipped)

    # -- vectors ---------------------------------------------------------------------------------------------------

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
                held[fragment.id] = Vector(fragment.document, levels.copy(), float(scale))

    def note_failure(self, space: str, fragment: int, error: str) -> None:
        known = self._data.failures.get((space, fragment))
        self._data.failures[space, fragment] = Failure(fragment, known.tries + 1 if known else 1, error)

    def drop_space(self, space: str) -> None:
        data = self._data
        data.vector_removals += len(data.vectors.pop(space, {}))
        for key in [key for key in data.failures if key[0] == space]:
            del data.failures[key]

    # -- journal ---------------------------------------------------------------------------------------------------

    def forget_journal(self) -> None:
        self._data.folded = Folded()
        self.set_journal_position({})

    def fold(self, primitives: Iterable[Register | Member]) -> None:
        self._data.folded.apply(primitives)

    def set_state(self, docid: str, state: DocumentState) -> None:
        self._change(docid, state=state)

    def set_journal_position(self, position: Mapping[str, Any]) -> None:
        self.set_meta("journal", json.dumps(position, sort_keys=True))

    def set_meta(self, key: str, value: str) -> None:
        self._data.meta[key] = value
