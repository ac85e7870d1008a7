"""The vectors of a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hearth.ports import VectorBlock
from hearth.store.memory.readers.base import InMemoryBase

if TYPE_CHECKING:
    from hearth.store.memory.data import Vector


class InMemoryVectorReader(InMemoryBase):
    """Implements ``ports.VectorReader``."""

    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        return _block([(row, held[row]) for row in sorted(held) if row > after])

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        return _block([(row, held[row]) for row in sorted(set(fragments)) if row in held])

    def vectors_within(self, space: str, documents: Sequence[int], most: int) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        rows: list[tuple[int, Vector]] = []
        for document in sorted(set(documents)):
            parts = sorted(self._data.parts.get(document, ()), key=lambda part: self._data.fragments[part].seq)
            if all(part in held for part in parts):
                rows.extend((part, held[part]) for part in parts[:most])
        return _block(rows)

    def vector_removals(self) -> int:
        return self._data.vector_removals

    def last_vector(self, space: str) -> int:
        return max(self._data.vectors.get(space, {}), default=0)

    def vector_count(self, space: str | None = None) -> int:
        return sum(len(vectors) for name, vectors in self._data.vectors.items() if space in (None, name))


def _block(rows: list[tuple[int, Vector]]) -> VectorBlock:
    import numpy as np

    vectors = [vector for _, vector in rows]
    return VectorBlock(
        np.array([row for row, _ in rows], dtype=np.int64),
        np.array([vector.document for vector in vectors], dtype=np.int64),
        np.vstack([vector.levels for vector in vectors]) if rows else np.empty((0, 0), dtype=np.int8),
        np.array([vector.scale for vector in vectors], dtype=np.float32),
    )
