"""State folded from the journal, how far that is, and the connection that all readers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

import apsw

from hearth.core.subjects import name_noticed
from hearth.ports import Filter, Registers, StoredDocument, SubjectState
from hearth.store.sqlite.rows import Decoded, canonical, chunks, decode_document, decode_json, marks, where

T = TypeVar("T")

# The newest rows of a full-text table that match a search.
NEWEST = "SELECT rowid FROM {0} WHERE {0} MATCH ? ORDER BY rowid DESC LIMIT ?"
# Fragments that have no vector in a space. Both indexes are a fraction of their tables.
WITHOUT = (
    "INDEXED BY fragments_document WHERE NOT EXISTS "
    "(SELECT 1 FROM vectors v INDEXED BY vectors_fragment WHERE v.fragment = p.id AND v.space = ?)"
)
# Searches in one statement.
_SEARCHES = 100


class SqliteBase:
    """Reads over a connection that is in a transaction. ``ceilings`` are the most trust that documents of a collection
    have now, however they were stored."""

    def __init__(
        self,
        connection: apsw.Connection,
        decoded: Decoded | None = None,
        ceilings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._db = connection
        self._decoded = decoded
        self._ceilings = ceilings
        # Results kept for the length of a read transaction; ``None`` in one that writes.
        self._read: dict[Any, Any] | None = None if decoded is None else {}

    def _once(self, key: Any, read: Callable[[], T]) -> T:
        if self._read is None:
            return read()
        if key not in self._read:
            self._read[key] = read()
        found: T = self._read[key]
        return found

    def _counter(self, name: str) -> int:
        known = (self._read or {}).get("counters")
        if known is not None:
            return int(known[name])
        value: Any = self._db.execute("SELECT value FROM counters WHERE key = ?", (name,)).get
        return int(value)

    def _pending(self, counter: str) -> int:
        """What the write transaction under way will add to a counter."""
        return 0

    def _search(self, searches: Sequence[tuple[str, Sequence[Any]]]) -> list[list[str]]:
        """The row numbers that each statement finds with its bindings."""
        return [numbers.split(",") if numbers else [] for numbers in self._search_packed(searches)]

    def _search_packed(self, searches: Sequence[tuple[str, Sequence[Any]]]) -> list[str]:
        """As ``_search``, with commas between. SQLite packs them into one string each: a tenth of the cost of stepping
        over them."""
        found: list[str] = []
        for batch in chunks(searches, _SEARCHES):
            sql = " UNION ALL ".join(f"SELECT coalesce(group_concat(rowid), '') FROM ({select})" for select, _ in batch)
            rows = self._db.execute(sql, tuple(chain.from_iterable(bound for _, bound in batch)))
            found += [numbers for (numbers,) in rows]
        return found

    def _decode(self, row: Any) -> StoredDocument:
        stored = decode_document(row)
        ceiling = self._ceilings.get(stored.document.collection)
        lowered = stored.document if ceiling is None else stored.document.lower(ceiling)
        return stored if lowered is stored.document else replace(stored, document=lowered)


# The last character there is: ``prefix + BEYOND`` sorts after every text that begins with the prefix.
BEYOND = "\U0010ffff"


class SqliteStateReader(SqliteBase):
    """Implements ``ports.StateReader``."""

    def registers(self, subject: str, prefix: str = "") -> Registers:
        sql = "SELECT field, value, event FROM registers WHERE subject = ? AND field >= ? AND field < ?"
        rows = self._db.execute(sql, (subject, prefix, prefix + BEYOND))
        return Registers((field, decode_json(value), event) for field, value, event in rows)

    def subject(self, name: str) -> SubjectState:
        sql = (
            "SELECT field, value, event, NULL FROM registers WHERE subject = ?1 UNION ALL "
            "SELECT name, count(*), NULL, max(at) FROM members WHERE subject = ?1 GROUP BY name"
        )
        rows: list[Any] = self._db.execute(sql, (name,)).fetchall()
        registers = Registers((field, decode_json(value), event) for field, value, event, at in rows if at is None)
        return SubjectState(registers, {row[0]: (row[1], row[3]) for row in rows if row[3] is not None})

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        sql = "SELECT key, at FROM members WHERE subject = ? AND name = ? ORDER BY at DESC, key LIMIT ?"
        return dict(self._db.execute(sql, (subject, name, -1 if limit is None else limit)))

    def orphans(self) -> list[tuple[str, str]]:
        sql = (
            "SELECT r.subject, d.docid FROM registers r CROSS JOIN documents d ON d.body_hash = r.value ->> '$' "
            "WHERE r.field = 'body_hash' AND NOT EXISTS (SELECT 1 FROM documents b WHERE b.docid = r.subject) "
            "AND NOT EXISTS (SELECT 1 FROM registers o WHERE o.subject = d.docid) ORDER BY 1, 2"
        )
        return list(self._db.execute(sql))

    def unnoticed(self, within: Filter, limit: int) -> list[str]:
        condition, bound = where(within)
        sql = (
            f"SELECT d.docid FROM documents d WHERE {condition} AND NOT EXISTS (SELECT 1 FROM registers r WHERE "
            "r.subject = ? || d.docid AND r.field = 'noticed' AND r.value = json_quote(d.body_hash)) "
            "ORDER BY d.dated_at, d.docid LIMIT ?"
        )
        return [row[0] for row in self._db.execute(sql, (*bound, name_noticed(""), limit))]

    def holders(self, field: str, *values: Any) -> dict[str, Any]:
        known = f" AND value IN ({marks(len(values))})" if values else ""
        sql = f"SELECT subject, value FROM registers WHERE field = ?{known} ORDER BY subject"
        rows = self._db.execute(sql, (field, *map(canonical, values)))
        return {subject: decode_json(value) for subject, value in rows}


# The position in the journals, a JSON object. Anything else is damage, which readers have to hear of as such.
_JOURNAL = "journal"


class SqlitePositionReader(SqliteBase):
    """Implements ``ports.PositionReader``."""

    def folded(self) -> str:
        registers = [list(row) for row in self._db.execute("SELECT * FROM registers ORDER BY subject, field")]
        members = [list(row) for row in self._db.execute("SELECT * FROM members ORDER BY subject, name, key")]
        return canonical({"registers": registers, "members": members})

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is not None and key == _JOURNAL and not isinstance(decode_json(row[0]), dict):
            raise apsw.CorruptError("the position in the journals is none")
        return None if row is None else str(row[0])
