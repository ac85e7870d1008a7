"""How documents hang together."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.graph.relation import DocumentRelation
from hearth.model.journal.state import Register
from hearth.ports import Filter, StoredDocument
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

    def unmarked(self, mark: str, limit: int) -> list[StoredDocument]:
        return self._unmarked(mark)[:limit]

    def count_unmarked(self, mark: str) -> int:
        return len(self._unmarked(mark))

    def _unmarked(self, mark: str) -> list[StoredDocument]:
        marks = self._data.marks
        rows = sorted(self._data.documents.items())
        return [stored for row, stored in rows if marks.get(row) != mark and not stored.vanished]
