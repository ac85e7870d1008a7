"""Which spaces there are, and what they still lack."""

from __future__ import annotations

from hearth.ports import Failure, StoredFragment
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import FRAGMENT_COLUMNS, decode_fragment

# DISTINCT would walk all of it, and a space has as many rows as the vault has fragments.
_SPACES = (
    "WITH RECURSIVE found (space) AS (SELECT min(space) FROM {0} UNION ALL SELECT (SELECT min(t.space) FROM {0} t "
    "WHERE t.space > found.space) FROM found WHERE found.space IS NOT NULL) SELECT space FROM found "
    "WHERE space IS NOT NULL"
)


class SqliteSpaceReader(SqliteBase):
    """Implements ``ports.SpaceReader``."""

    def missing_vectors(self, space: str, limit: int, max_tries: int, after: int = 0) -> list[StoredFragment]:
        sql = (
            f"SELECT {FRAGMENT_COLUMNS} FROM fragments f LEFT JOIN vectors v ON v.space = ? AND v.fragment = f.id "
            "LEFT JOIN failures x ON x.space = ? AND x.fragment = f.id "
            "WHERE f.id > ? AND v.fragment IS NULL AND coalesce(x.tries, 0) < ? ORDER BY f.id LIMIT ?"
        )
        return [decode_fragment(row) for row in self._db.execute(sql, (space, space, after, max_tries, limit))]

    def spaces(self) -> list[str]:
        return sorted({row[0] for table in ("vectors", "failures") for row in self._db.execute(_SPACES.format(table))})

    def lacking(self, space: str) -> list[int]:
        # The index by fragment holds fragment and space alone: a fraction of the pages of the vectors.
        sql = (
            "SELECT p.fragment FROM postings p WHERE NOT EXISTS (SELECT 1 FROM vectors v INDEXED BY vectors_fragment "
            "WHERE v.fragment = p.fragment AND v.space = ?) ORDER BY p.fragment"
        )
        return [row[0] for row in self._db.execute(sql, (space,))]

    def failures(self, space: str) -> list[Failure]:
        sql = "SELECT fragment, tries, error FROM failures WHERE space = ? ORDER BY fragment"
        return [Failure(*row) for row in self._db.execute(sql, (space,))]
