"""What the parts of a writer share: the connection, and the sums that are written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from hearth.model.graph.relation import SPACE
from hearth.store.sqlite.readers.base import SqliteBase


class SqliteWriterBase(SqliteBase):
    """One write transaction. Document frequencies are summed up and written once, by ``finish``."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._df: Counter[int] = Counter()
        self._strong: Counter[int] = Counter()
        self._counters: Counter[str] = Counter()
        self._ids: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._before: int = connection.total_changes()
        # Rows of folded events: what was used is no change of what is there, and what is kept in memory stays good.
        self._folded = 0

    def _settle_means(self, condition: str, values: Iterable[tuple[Any, ...]]) -> None:
        """Gives means the vectors that they are read from, before those go."""
        vector = "SELECT vector FROM vectors WHERE space = (SELECT value FROM meta WHERE key = ?1)"
        sql = f"UPDATE means SET vector = ({vector} AND fragment = means.fragment), fragment = NULL WHERE {condition}"
        self._db.executemany(f"{sql} AND fragment IS NOT NULL", [(SPACE, *bound) for bound in values])

    def finish(self) -> None:
        """Writes what was summed up; called once, before the commit."""
        rows = [(self._df[term], self._strong[term], term) for term in self._df.keys() | self._strong.keys()]
        self._db.executemany("UPDATE terms SET df = df + ?, strong = strong + ? WHERE id = ?", rows)
        if self._db.total_changes() - self._before > self._folded:
            self._counters["generation"] += 1
        self._db.executemany(
            "UPDATE counters SET value = value + ? WHERE key = ?", [(n, key) for key, n in self._counters.items()]
        )
