"""The state folded from the journal, and how far it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hearth.model.journal.state import Member, Register
from hearth.store.sqlite.rows import canonical
from hearth.store.sqlite.writers.base import SqliteWriterBase


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
