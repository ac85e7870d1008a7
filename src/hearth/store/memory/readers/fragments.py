"""Fragments with their texts."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from hearth.ports import StoredFragment
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryFragmentReader(InMemoryBase):
    """Implements ``ports.FragmentReader``."""

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]:
        return {row: self._data.fragments[row] for row in ids if row in self._data.fragments}

    def fragments_after(self, fragment: int, limit: int) -> list[StoredFragment]:
        rows = heapq.nsmallest(limit, (row for row in self._data.fragments if row > fragment))
        return [self._data.fragments[row] for row in rows]

    def fragments_of(self, document: int) -> list[StoredFragment]:
        found = (self._data.fragments[row] for row in self._data.parts.get(document, ()))
        return sorted(found, key=lambda fragment: fragment.seq)
