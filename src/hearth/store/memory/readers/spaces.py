"""Which spaces there are, and what they still lack."""

from __future__ import annotations

import heapq

from hearth.ports import Failure, StoredFragment
from hearth.store.memory.readers.base import InMemoryBase


class InMemorySpaceReader(InMemoryBase):
    """Implements ``ports.SpaceReader``."""

    def missing_vectors(self, space: str, limit: int, max_tries: int, after: int = 0) -> list[StoredFragment]:
        held = self._data.vectors.get(space, {})
        tries = {failure.fragment: failure.tries for failure in self.failures(space)}
        lacking = (
            row for row in self._data.fragments if row > after and row not in held and tries.get(row, 0) < max_tries
        )
        return [self._data.fragments[row] for row in heapq.nsmallest(limit, lacking)]

    def spaces(self) -> list[str]:
        held = {space for space, vectors in self._data.vectors.items() if vectors}
        return sorted(held | {space for space, _ in self._data.failures})

    def lacking(self, space: str) -> list[int]:
        return sorted(self._data.fragments.keys() - self._data.vectors.get(space, {}).keys())

    def failures(self, space: str) -> list[Failure]:
        found = [failure for (name, _), failure in self._data.failures.items() if name == space]
        return sorted(found, key=lambda failure: failure.fragment)
