"""State folded from the journal, vectors, and the sums that all writers share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hearth.core.graph import SPACE
from hearth.core.journal import Member, Register
from hearth.store.sqlite.readers.states import SqliteBase
from hearth.store.sqlite.readers.vectors import SqliteVectorReader
from hearth.store.sqlite.rows import canonical

if TYPE_CHECKING:
    from hearth.ports import Bytes


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


class SqliteStateWriter(SqliteWriterBase):
    """Implements ``ports.StateWriter``."""

    def forget_journal(self) -> None:
        for table in ("registers", "members"):
            self._db.execute(f"DELETE FROM {table}")
        self.set_journal_position({})

    def fold(self, primitives: Iterable[Register | Member]) -> None:
        registers, members = [], []
        for item in primitives:
            if isinstance(item, Register):
                registers.append((item.subject, item.field, canonical(item.value), *item.stamp))
            else:
                members.append((item.subject, item.name, item.key, item.at))
        before = self._db.total_changes()
        self._db.executemany(
            "INSERT INTO registers VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, "
            "hlc = excluded.hlc, machine = excluded.machine, event = excluded.event "
            "WHERE (excluded.hlc, excluded.machine, excluded.event) > (hlc, machine, event)",
            registers,
        )
        self._db.executemany(
            "INSERT INTO members VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)", members
        )
        self._folded += self._db.total_changes() - before

    def set_journal_position(self, position: Mapping[str, Any]) -> None:
        before = self._db.total_changes()
        self.set_meta("journal", json.dumps(position, sort_keys=True))
        self._folded += self._db.total_changes() - before

    def set_meta(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


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
