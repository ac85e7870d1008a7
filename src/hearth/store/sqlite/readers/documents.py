"""Documents, by row, docid, filter or date."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hearth.ports import Filter, StoredDocument
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import DOCUMENT_COLUMNS, plain, storable, where


class SqliteDocumentReader(SqliteBase):
    """Implements ``ports.DocumentReader``."""

    def generation(self) -> int:
        value = self._db.execute("SELECT value FROM counters WHERE key = 'generation'").get
        return int(value)

    def documents(self, ids: Sequence[int]) -> dict[int, StoredDocument]:
        known = {} if self._decoded is None else self._decoded.of(self.generation())
        for batch in batches([row for row in ids if row not in known]):
            sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id IN ({marks(len(batch))})"
            known.update((row[0], self._decode(row)) for row in self._db.execute(sql, tuple(batch)))
        return {row: known[row] for row in ids if row in known}

    def document(self, docid: str) -> StoredDocument | None:
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.docid = ?"
        row = self._db.execute(sql, (docid,)).fetchone()
        return None if row is None else self._decode(row)

    def find_documents(self, within: Filter, limit: int | None = None) -> list[StoredDocument]:
        condition, bound = where(within)
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {condition} ORDER BY d.collection, d.path LIMIT ?"
        return [self._decode(row) for row in self._db.execute(sql, (*bound, -1 if limit is None else limit))]

    def called(self, keys: Sequence[str], within: Filter, limit: int) -> list[int]:
        condition, bound = where(within)
        wanted = sorted(map(storable, keys))
        if len(wanted) > 1:
            # Of the many that a sentence may hold hardly any names a document.
            known = "SELECT DISTINCT key FROM names WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key"
            wanted = [row[0] for row in self._db.execute(known, (json.dumps(wanted),))]
        sql = (
            "SELECT d.id FROM names n CROSS JOIN documents d ON d.id = n.document "
            f"WHERE n.key = ? AND {condition} ORDER BY n.document LIMIT ?"
        )
        found = (row[0] for key in wanted for row in self._db.execute(sql, (key, *bound, limit)))
        return list(dict.fromkeys(found))[:limit]

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        condition, bound = where(within)
        sql = (
            f"SELECT d.id FROM documents d WHERE d.dated_at >= ? AND d.dated_at < ? AND {condition} "
            "ORDER BY abs(d.dated_at - ?), d.docid LIMIT ?"
        )
        return [row[0] for row in self._db.execute(sql, (start, end, *bound, (start + end) // 2, limit))]

    def reviewable(self, before: int) -> list[StoredDocument]:
        due = "d.record ->> 'review_by' IS NOT NULL AND d.record ->> 'review_by' < ?"
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {due} ORDER BY d.record ->> 'review_by', d.docid"
        return [self._decode(row) for row in self._db.execute(sql, (before,))]

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]:
        row = self._db.execute("SELECT dated_at, docid FROM documents WHERE id = ?", (document,)).fetchone()
        if row is None:
            return []
        if row[0] is None:
            return list(self.documents([document]).values())
        condition, bound = where(within)
        select = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE (d.dated_at, d.docid)"
        earlier = f"{select} < (?, ?) AND {condition} ORDER BY d.dated_at DESC, d.docid DESC LIMIT ?"
        later = f"{select} >= (?, ?) AND (d.id = ? OR {condition}) ORDER BY d.dated_at, d.docid LIMIT ?"
        past = [self._decode(r) for r in self._db.execute(earlier, (*row, *bound, before))]
        future = [self._decode(r) for r in self._db.execute(later, (*row, document, *bound, after + 1))]
        return past[::-1] + future

    def docids(self) -> dict[str, tuple[str, str]]:
        rows = self._db.execute("SELECT docid, collection, path FROM documents")
        return {docid: (collection, plain(path)) for docid, collection, path in rows}
