"""What documents link to, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.model.graph.relation import FILE, LINKS
from hearth.ports import StoredDocument
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import DOCUMENT_COLUMNS, decode_document, decode_json, plain, storable


class SqliteLinkReader(SqliteBase):
    """Implements ``ports.LinkReader``."""

    def links_to(self, docid: str, kind: str = "references") -> list[str]:
        sql = (
            "SELECT DISTINCT d.docid FROM relations r JOIN documents d ON d.id = r.owner "
            "WHERE r.target = ? AND r.type = ? AND r.origin IN (?, ?) ORDER BY 1"
        )
        return [row[0] for row in self._db.execute(sql, (docid, kind, LINKS, FILE))]

    def links_of(self, docid: str, kind: str = "references") -> list[str]:
        sql = (
            "SELECT DISTINCT r.target FROM documents d JOIN relations r ON r.owner = d.id "
            "WHERE d.docid = ? AND r.type = ? AND r.origin IN (?, ?) ORDER BY 1"
        )
        return [row[0] for row in self._db.execute(sql, (docid, kind, LINKS, FILE))]

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        sql = (
            f"SELECT {DOCUMENT_COLUMNS}, d.links FROM documents d WHERE d.collection = ? AND NOT d.linked "
            "ORDER BY d.id LIMIT ?"
        )
        rows = self._db.execute(sql, (collection, limit))
        return [(decode_document(row), tuple(decode_json(row[-1] or "[]"))) for row in rows]

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for batch in batches(sorted(set(stems))):
            sql = f"SELECT path, docid FROM documents WHERE collection = ? AND stem IN ({marks(len(batch))})"
            rows = self._db.execute(sql, (collection, *map(storable, batch)))
            found.update((plain(path), docid) for path, docid in rows)
        return found
