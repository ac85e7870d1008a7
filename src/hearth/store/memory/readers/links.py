"""What documents link to, and what they are called."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from hearth.markdown.links import stem
from hearth.model.graph.relation import FILE, LINKS
from hearth.ports import StoredDocument
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryLinkReader(InMemoryBase):
    """Implements ``ports.LinkReader``."""

    def links_to(self, docid: str, kind: str = "references") -> list[str]:
        rows = (row for row in self._data.relations if docid in self._named_by(row, kind))
        return sorted(self._data.documents[row].document.docid for row in rows)

    def links_of(self, docid: str, kind: str = "references") -> list[str]:
        row = self._data.by_docid.get(docid)
        return [] if row is None else sorted(self._named_by(row, kind))

    def _named_by(self, row: int, kind: str) -> set[str]:
        owned = self._data.relations.get(row, {})
        return {one.target for origin in (LINKS, FILE) for one in owned.get(origin, ()) if one.type == kind}

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        data = self._data
        rows = (row for row in data.unlinked if data.documents[row].document.collection == collection)
        return [(data.documents[row], data.written.get(row, ())) for row in heapq.nsmallest(limit, rows)]

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        wanted = set(stems)
        documents = (stored.document for stored in self._data.documents.values())
        fitting = (d for d in documents if d.collection == collection and stem(d.path) in wanted)
        return {document.path: document.docid for document in fitting}
