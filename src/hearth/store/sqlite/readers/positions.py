"""How far the journal is folded, and what is noted beside."""

from __future__ import annotations

from typing import Any

from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import canonical, decode_json


class SqlitePositionReader(SqliteBase):
    """Implements ``ports.PositionReader``."""

    def folded(self) -> str:
        registers = [list(row) for row in self._db.execute("SELECT * FROM registers ORDER BY subject, field")]
        members = [list(row) for row in self._db.execute("SELECT * FROM members ORDER BY subject, name, key")]
        return canonical({"registers": registers, "members": members})

    def journal_position(self) -> dict[str, Any]:
        text = self.meta("journal")
        return decode_json(text) if text else {}

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])
