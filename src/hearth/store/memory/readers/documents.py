"""Documents, by row, docid, filter or date."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.ports import Filter, StoredDocument
from hearth.store.memory.filters import dated_within
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryDocumentReader(InMemoryBase):
    """Implements ``ports.DocumentReader``."""

    def documents(self, ids: Sequence[int]) -> dict[int, StoredDocument]:
        return {row: self._data.documents[row] for row in ids if row in self._data.documents}

    def document(self, docid: str) -> StoredDocument | None:
        row = self._data.by_docid.get(docid)
        return None if row is None else self._data.documents[row]

    def find_documents(self, within: Filter, limit: int | None = None) -> list[StoredDocument]:
        found = sorted(self._fitting(within), key=lambda d: (d.document.collection, d.document.path))
        return found[:limit]

    def called(self, keys: Sequence[str], within: Filter, limit: int) -> list[int]:
        found = [
            (key, stored.id)
            for stored in self._fitting(within)
            if stored.id in self._data.named
            for key in self._data.named[stored.id].intersection(keys)
        ]
        return list(dict.fromkeys(row for _, row in sorted(found)))[:limit]

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        middle = (start + end) // 2
        found = [d for d in self._fitting(within) if d.document.dated_at is not None and dated_within(d, start, end)]
        found.sort(key=lambda d: (abs((d.document.dated_at or 0) - middle), d.document.docid))
        return [stored.id for stored in found[:limit]]

    def reviewable(self, before: int) -> list[StoredDocument]:
        dated = ((d.document.review_by, d.document.docid, d) for d in self._data.documents.values())
        due = [(at, docid, d) for at, docid, d in dated if at is not None and at < before]
        return [d for _, _, d in sorted(due, key=lambda row: row[:2])]

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]:
        focus = self._data.documents.get(document)
        if focus is None:
            return []
        if focus.document.dated_at is None:
            return [focus]
        dated = (d for d in self._fitting(within) if d.document.dated_at is not None)
        line = sorted({d.id: d for d in (focus, *dated)}.values(), key=_moment)
        at = line.index(focus)
        return line[max(0, at - before) : at + after + 1]

    def docids(self) -> dict[str, tuple[str, str]]:
        documents = (stored.document for stored in self._data.documents.values())
        return {document.docid: (document.collection, document.path) for document in documents}


def _moment(stored: StoredDocument) -> tuple[int, str]:
    return stored.document.dated_at or 0, stored.document.docid
