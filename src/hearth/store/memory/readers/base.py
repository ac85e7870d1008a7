"""The published state that the parts of a reader share."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.ports import Filter, StoredDocument
from hearth.store.memory.data import Data
from hearth.store.memory.filters import admits


class InMemoryBase:
    """Reads one published state."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def _fitting(self, within: Filter) -> Iterator[StoredDocument]:
        return (stored for stored in self._data.documents.values() if admits(within, stored))

    def _admit(self, within: Filter) -> set[int]:
        return {stored.id for stored in self._fitting(within)}
