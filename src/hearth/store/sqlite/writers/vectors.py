"""The vectors of a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hearth.store.sqlite.readers.vectors import SqliteVectorReader
from hearth.store.sqlite.writers.base import SqliteWriterBase

if TYPE_CHECKING:
    from hearth.ports import Bytes


class SqliteVectorWriter(SqliteWriterBase, SqliteVectorReader):
    """Implements ``ports.VectorWriter``."""

    def put_vectors(
        self, space: str, fragments: Sequence[int], vectors: Sequence[Bytes], scales: Sequence[float]
    ) -> None:
        last = self.last_vector(space)
        self._counters["vector_removals"] += sum(int(fragment) <= last for fragment in fragments)
        document = "(SELECT document FROM postings WHERE fragment = ?2)"
        self._settle_means(f"document = {document}", ((int(one),) for one in fragments if int(one) <= last))
        rows = [
            (space, float(scale), vector.tobytes(), int(fragment))
            for fragment, vector, scale in zip(fragments, vectors, scales, strict=True)
        ]
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors (space, fragment, document, scale, vector) "
            "SELECT ?1, fragment, document, ?2, ?3 FROM postings WHERE fragment = ?4",
            rows,
        )
        fragments_done = [(space, row[3]) for row in rows]
        self._db.executemany("DELETE FROM failures WHERE space = ? AND fragment = ?", fragments_done)
        self._db.executemany(
            "UPDATE documents SET related = NULL WHERE related IS NOT NULL "
            "AND id = (SELECT document FROM postings WHERE fragment = ?)",
            [(row[3],) for row in rows],
        )

    def note_failure(self, space: str, fragment: int, error: str) -> None:
        self._db.execute(
            "INSERT INTO failures VALUES (?, ?, 1, ?) "
            "ON CONFLICT DO UPDATE SET tries = tries + 1, error = excluded.error",
            (space, fragment, error),
        )

    def drop_space(self, space: str) -> None:
        self._settle_means("?2 = (SELECT value FROM meta WHERE key = ?1)", [(space,)])
        before = self._db.total_changes()
        self._db.execute("DELETE FROM vectors WHERE space = ?", (space,))
        self._counters["vector_removals"] += self._db.total_changes() - before
        self._db.execute("DELETE FROM failures WHERE space = ?", (space,))
