"""Documents with all that is derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hearth.markdown.links import number_key, stem
from hearth.model.document import TERM_FIELDS, Document, DocumentState, FileState
from hearth.model.graph.relation import FILE, LINKS
from hearth.ports import DocumentRecord, StoredDocument
from hearth.store.memory.writers.entities import InMemoryEntityWriter
from hearth.text.names import document_keys


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

    def set_state(self, docid: str, state: DocumentState) -> None:
        self._change(docid, state=state)
