"""How far the journal is folded, and what is noted beside."""

from __future__ import annotations

import json
from typing import Any

from hearth.store.memory.readers.base import InMemoryBase


class InMemoryPositionReader(InMemoryBase):
    """Implements ``ports.PositionReader``."""

    def folded(self) -> str:
        return self._data.folded.dump()

    def journal_position(self) -> dict[str, Any]:
        text = self.meta("journal")
        return json.loads(text) if text else {}

    def meta(self, key: str) -> str | None:
        return self._data.meta.get(key)
