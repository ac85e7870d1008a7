"""The state folded from the journal, and how far it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hearth.model.journal.folded import Folded
from hearth.model.journal.state import Member, Register
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryStateWriter(InMemoryBase):
    """Implements ``ports.StateWriter``."""

    def forget_journal(self) -> None:
        self._data.folded = Folded()
        self.set_journal_position({})

    def fold(self, primitives: Iterable[Register | Member]) -> None:
        self._data.folded.apply(primitives)

    def set_journal_position(self, position: Mapping[str, Any]) -> None:
        self.set_meta("journal", json.dumps(position, sort_keys=True))

    def set_meta(self, key: str, value: str) -> None:
        self._data.meta[key] = value
