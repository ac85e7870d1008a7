"""Spaces and their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from hearth.ports import Failure, StoredFragment, VectorBlock
from hearth.store.sqlite.readers.states import SqliteBase
from hearth.store.sqlite.rows import FRAGMENT_COLUMNS, batches, decode_fragment, marks

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


class SqliteVectorReader(SqliteBase):
    """Implements ``ports.VectorReader``."""

    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        sql = "SELECT fragment, document, scale, vector FROM vectors WHERE space = ? AND fragment > ? ORDER BY fragment"
        return _block(self._db.execute(sql, (space, after)))

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        rows: list[Any] = []
        for batch in batches(sorted(set(fragments))):
            sql = (
                "SELECT fragment, document, scale, vector FROM vectors "
                f"WHERE space = ? AND fragment IN ({marks(len(batch))}) ORDER BY fragment"
            )
            rows.extend(self._db.execute(sql, (space, *batch)))
        return _block(rows)

    def vectors_within(self, space: str, documents: Sequence[int], most: int) -> VectorBlock:
        rows: list[Any] = []
        for batch in batches(sorted(set(documents))):
            sql = (
                "SELECT f.id, f.document, v.scale, v.vector FROM fragments f "
                "LEFT JOIN vectors v ON v.space = ? AND v.fragment = f.id "
                f"WHERE f.document IN ({marks(len(batch))}) ORDER BY f.document, f.seq"
            )
            for _, parts in groupby(self._db.execute(sql, (space, *batch)), key=lambda row: row[1]):
                kept: list[Any] = []
                whole = True
                for row in parts:
                    whole = whole and row[2] is not None
                    if len(kept) < most:
                        kept.append(row)
                rows.extend(kept if whole else ())
        return _block(rows)

    def vector_removals(self) -> int:
        value = self._db.execute("SELECT value FROM counters WHERE key = 'vector_removals'").get
        return int(value)

    def last_vector(self, space: str) -> int:
        value = self._db.execute("SELECT max(fragment) FROM vectors WHERE space = ?", (space,)).get
        return int(value or 0)

    def vector_count(self, space: str | None = None) -> int:
        value = self._db.execute("SELECT count(*) FROM vectors WHERE ?1 IS NULL OR space = ?1", (space,)).get
        return int(value)


def _block(rows: Iterable[Any]) -> VectorBlock:
    import numpy as np

    fragments, documents, scales, parts = [], [], [], []
    for fragment, document, scale, vector in rows:
        fragments.append(fragment)
        documents.append(document)
        scales.append(scale)
        parts.append(vector)
    matrix = np.frombuffer(b"".join(parts), dtype=np.int8)
    return VectorBlock(
        np.array(fragments, dtype=np.int64),
        np.array(documents, dtype=np.int64),
        matrix.reshape(len(parts), -1) if parts else matrix.reshape(0, 0),
        np.array(scales, dtype=np.float32),
    )
