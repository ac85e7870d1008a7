"""The names in fragments."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.graph.entity import HeldName, NamedEntity
from hearth.ports import Filter
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import where

_UNREAD = "FROM documents d LEFT JOIN entity_marks m ON m.document = d.id WHERE m.mark IS NOT ? AND NOT d.vanished"


class SqliteEntityReader(SqliteBase):
    """Implements ``ports.EntityReader`` and ``ports.MentionReader``."""

    def unread(self, mark: str, limit: int | None = None) -> list[int]:
        if not self.count_unread(mark):
            return []
        sql = f"SELECT d.id {_UNREAD} ORDER BY d.id LIMIT ?"
        return [row[0] for row in self._db.execute(sql, (mark, -1 if limit is None else limit))]

    def count_unread(self, mark: str) -> int:
        # Each part from an index of its own: of a million passages in milliseconds.
        vanished = "documents WHERE (hidden OR vanished) AND vanished"
        read = "SELECT count(*) FROM entity_marks WHERE mark = ?1"
        sql = (
            f"SELECT (SELECT count(*) FROM documents) - (SELECT count(*) FROM {vanished}) - ({read}) "
            f"+ ({read} AND document IN (SELECT id FROM {vanished}))"
        )
        return int(self._db.execute(sql, (mark,)).get)

    def held_names(self, limit: int, kind: str | None = None, part: str = "") -> list[HeldName]:
        sql = (
            "SELECT key, name, type, documents FROM entity_names WHERE (?1 IS NULL OR type = ?1) "
            "AND (?2 = '' OR instr(key, ?2)) ORDER BY documents DESC, key DESC, name, type LIMIT ?3"
        )
        rows = self._db.execute(sql, (kind, part, limit))
        return [HeldName(*row) for row in rows]

    def naming(self, keys: Sequence[str], within: Filter, limit: int) -> list[tuple[int, int]]:
        condition, bound = where(within)
        sql = (
            "SELECT DISTINCT e.document, e.fragment FROM entity_names n JOIN entities e ON e.name = n.id "
            f"JOIN documents d ON d.id = e.document WHERE n.key IN ({marks(len(keys))}) AND {condition} "
            "ORDER BY d.dated_at IS NULL, d.dated_at DESC, d.docid, e.fragment LIMIT ?"
        )
        return [(row[0], row[1]) for row in self._db.execute(sql, (*keys, *bound, limit))]

    def count_naming(self, keys: Sequence[str], within: Filter, most: int | None = None) -> int:
        condition, bound = where(within)
        sql = (
            "SELECT count(*) FROM (SELECT DISTINCT e.document FROM entity_names n JOIN entities e ON e.name = n.id "
            f"JOIN documents d ON d.id = e.document WHERE n.key IN ({marks(len(keys))}) AND {condition} LIMIT ?)"
        )
        return int(self._db.execute(sql, (*keys, *bound, -1 if most is None else most)).get)

    def entities_of(self, document: int) -> list[tuple[int, NamedEntity]]:
        sql = (
            "SELECT e.fragment, n.name, n.type FROM entities e JOIN entity_names n ON n.id = e.name "
            "WHERE e.document = ? ORDER BY e.fragment, n.name, n.type"
        )
        return [(fragment, NamedEntity(name, kind)) for fragment, name, kind in self._db.execute(sql, (document,))]

    def names_in(self, documents: Sequence[int]) -> dict[int, dict[str, int]]:
        found: dict[int, dict[str, int]] = {}
        total = "(SELECT sum(m.documents) FROM entity_names m WHERE m.key = n.key)"
        for batch in batches(sorted(set(documents))):
            sql = (
                f"SELECT DISTINCT e.document, n.key, {total} FROM entities e JOIN entity_names n ON n.id = e.name "
                f"WHERE e.document IN ({marks(len(batch))}) ORDER BY 1, 2"
            )
            for document, key, count in self._db.execute(sql, batch):
                found.setdefault(document, {})[key] = count
        return found

    def count_names(self, keys: Sequence[str], types: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for batch in batches(sorted(set(keys))):
            sql = (
                f"SELECT key, sum(documents) FROM entity_names WHERE key IN ({marks(len(batch))}) "
                f"AND type IN ({marks(len(types))}) GROUP BY key"
            )
            found.update(self._db.execute(sql, (*batch, *types)))
        return found

    def holding(self, keys: Sequence[str], documents: Sequence[int]) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for batch in batches(sorted(set(documents))):
            sql = (
                "SELECT DISTINCT e.document, n.key FROM entity_names n JOIN entities e ON e.name = n.id "
                f"WHERE n.key IN ({marks(len(keys))}) AND e.document IN ({marks(len(batch))})"
            )
            for document, key in self._db.execute(sql, (*keys, *batch)):
                found.setdefault(document, set()).add(key)
        return found

    def holders_of(self, keys: Sequence[str], within: Filter) -> dict[str, list[str]]:
        condition, bound = where(within)
        found: dict[str, list[str]] = {}
        for batch in batches(sorted(set(keys))):
            sql = (
                "SELECT DISTINCT n.key, d.docid FROM entity_names n JOIN entities e ON e.name = n.id "
                f"JOIN documents d ON d.id = e.document WHERE n.key IN ({marks(len(batch))}) AND {condition} "
                "ORDER BY 1, 2"
            )
            for key, docid in self._db.execute(sql, (*batch, *bound)):
                found.setdefault(key, []).append(docid)
        return found
