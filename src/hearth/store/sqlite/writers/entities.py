"""The names in fragments."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.graph.resolve import key_of
from hearth.model.graph.entity import NamedEntity
from hearth.store.sqlite.writers.relations import SqliteRelationWriter


class SqliteEntityWriter(SqliteRelationWriter):
    """Implements ``ports.EntityWriter``."""

    def set_entities(self, document: int, mark: str, found: Sequence[tuple[int, NamedEntity]]) -> bool:
        there = {row[0] for row in self._db.execute("SELECT id FROM fragments WHERE document = ?", (document,))}
        known = self._db.execute("SELECT 1 FROM documents WHERE id = ?", (document,)).get
        if known is None or not there.issuperset(fragment for fragment, _ in found):
            return False
        self._drop_entities(document)
        ids = {entity: self._take_name(entity) for entity in dict.fromkeys(entity for _, entity in found)}
        rows = {(ids[entity], document, fragment) for fragment, entity in found}
        self._db.executemany("INSERT INTO entities VALUES (?, ?, ?)", sorted(rows))
        sql = "UPDATE entity_names SET documents = documents + 1 WHERE id = ?"
        self._db.executemany(sql, [(identity,) for identity in sorted(set(ids.values()))])
        self._db.execute("INSERT OR REPLACE INTO entity_marks VALUES (?, ?)", (document, mark))
        return True

    def _take_name(self, entity: NamedEntity) -> int:
        row = (key_of(entity.name), entity.name, entity.type)
        sql = "SELECT id FROM entity_names WHERE key = ? AND name = ? AND type = ?"
        found = self._db.execute(sql, row).get
        if found is None:
            self._db.execute("INSERT INTO entity_names (key, name, type, documents) VALUES (?, ?, ?, 0)", row)
            found = self._db.last_insert_rowid()
        return int(found)

    def _drop_entities(self, document: int) -> None:
        """A name that no document holds any more is gone with the last."""
        sql = "SELECT DISTINCT name FROM entities WHERE document = ?"
        names = self._db.execute(sql, (document,)).fetchall()
        self._db.executemany("UPDATE entity_names SET documents = documents - 1 WHERE id = ?", names)
        self._db.executemany("DELETE FROM entity_names WHERE id = ? AND documents <= 0", names)
        self._db.execute("DELETE FROM entities WHERE document = ?", (document,))
        self._db.execute("DELETE FROM entity_marks WHERE document = ?", (document,))
