"""The vectors of a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hearth.ports import Failure
from hearth.store.memory.data import Vector
from hearth.store.memory.readers.base import InMemoryBase

if TYPE_CHECKING:
    from hearth.ports import Bytes


class InMemoryVectorWriter(InMemoryBase):
    """Implements ``ports.VectorWriter``."""

    def put_vectors(
        self, space: str, fragments: Sequence[int], vectors: Sequence[Bytes], scales: Sequence[float]
    ) -> None:
        data = self._data
        held = data.vectors.setdefault(space, {})
        last = max(held, default=0)
        for row, levels, scale in zip(fragments, vectors, scales, strict=True):
            fragment = data.fragments.get(int(row))
            data.failures.pop((space, int(row)), None)
            if fragment is not None:
                data.vector_removals += fragment.id <= last
                data.marks.pop(fragment.document, None)
                held[fragment.id] = Vector(fragment.document, levels.copy(), float(scale))

    def note_failure(self, space: str, fragment: int, error: str) -> None:
        known = self._data.failures.get((space, fragment))
        self._data.failures[space, fragment] = Failure(fragment, known.tries + 1 if known else 1, error)

    def drop_space(self, space: str) -> None:
        data = self._data
        data.vector_removals += len(data.vectors.pop(space, {}))
        for key in [key for key in data.failures if key[0] == space]:
            del data.failures[key]
