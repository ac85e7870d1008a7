"""Fragments with their texts."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.ports import StoredFragment
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import FRAGMENT_COLUMNS, decode_fragment


class SqliteFragmentReader(SqliteBase):
    """Implements ``ports.FragmentReader``."""

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]:
        found: dict[int, StoredFragment] = {}
        for batch in batches(ids):
            sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.id IN ({marks(len(batch))})"
            found.update((row[0], decode_fragment(row)) for row in self._db.execute(sql, tuple(batch)))
        return found

    def fragments_after(self, fragment: int, limit: int) -> list[StoredFragment]:
        sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.id > ? ORDER BY f.id LIMIT ?"
        return [decode_fragment(row) for row in self._db.execute(sql, (fragment, limit))]

    def fragments_of(self, document: int) -> list[StoredFragment]:
        sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.document = ? ORDER BY f.seq"
        return [decode_fragment(row) for row in self._db.execute(sql, (document,))]
