"""How documents hang together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hearth.model.document import Document
from hearth.model.graph.relation import DocumentRelation
from hearth.model.journal.state import Register
from hearth.ports import Filter, MeanVector, StoredDocument
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryRelationReader(InMemoryBase):
    """Implements ``ports.RelationReader``."""

    def relations_of(self, docids: Sequence[str], types: Sequence[str] = ()) -> list[DocumentRelation]:
        wanted = set(docids)
        rows = (one for owned in self._data.relations.values() for rows in owned.values() for one in rows)
        found = [
            one for one in rows if (one.source in wanted or one.target in wanted) and (not types or one.type in types)
        ]
        return sorted(found, key=lambda one: (one.source, one.type, one.target, one.origin))

    def said_of(self, docids: Sequence[str]) -> list[Register]:
        return self._data.folded.said_of(docids)

    def admitted(self, docids: Sequence[str], within: Filter) -> dict[str, int]:
        wanted = set(docids)
        rows = ((stored.document.docid, stored.id) for stored in self._fitting(within))
        return {docid: row for docid, row in rows if docid in wanted}

    def unmarked(self, mark: str, limit: int | None = None, after: int = 0) -> list[int]:
        return [stored.id for stored in self._unmarked(mark) if stored.id > after][:limit]

    def count_unmarked(self, mark: str) -> int:
        return len(self._unmarked(mark))

    def earlier(self, docid: str, types: Sequence[str] = ()) -> StoredDocument | None:
        line, here = self._line(docid, types)
        return max((one for one in line.items() if one[0] < here), default=(here, None))[1]

    def later(self, docid: str, types: Sequence[str] = ()) -> StoredDocument | None:
        line, here = self._line(docid, types)
        return min((one for one in line.items() if one[0] > here), default=(here, None))[1]

    def _line(self, docid: str, types: Sequence[str]) -> tuple[dict[tuple[int, str], StoredDocument], tuple[int, str]]:
        """The dated documents of its project, by date and docid, and its own place."""
        row = self._data.by_docid.get(docid)
        focus = None if row is None else self._data.documents[row].document
        if focus is None or focus.dated_at is None:
            return {}, (0, docid)
        line = {
            (one.document.dated_at, one.document.docid): one
            for one in self._data.documents.values()
            if one.document.dated_at is not None and _project(one.document) == _project(focus)
            if one.document.title and (not types or one.document.content_type in types)
        }
        return line, (focus.dated_at, docid)

    def means(self) -> list[MeanVector]:
        means = sorted(self._data.means.items())
        return [replace(one, gone=row not in self._data.documents) for row, one in means]

    def _unmarked(self, mark: str) -> list[StoredDocument]:
        marks = self._data.marks
        rows = sorted(self._data.documents.items())
        return [stored for row, stored in rows if marks.get(row) != mark and not stored.vanished]


def _project(document: Document) -> str:
    return document.facts.get("project", document.collection)
