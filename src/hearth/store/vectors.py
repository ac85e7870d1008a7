"""Exact vector search over int8 rows in memory, and indexes kept warm between requests."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hearth.core.lazy import dataclass
from hearth.ports import Reader, Rows, VectorBlock, VectorIndex
from hearth.store.hnsw import HnswFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hearth.ports import Vectors

# Rows converted to float32 at a time: 2,048 x 256 stays inside the processor's cache (6 ms for 100,000 rows).
_BLOCK = 2_048


class ExactIndex:
    """Implements ``ports.VectorIndex`` over one space; ``extend`` adds rows whose fragment ids are all greater."""

    def __init__(self, block: VectorBlock) -> None:
        self._block = block

    def __len__(self) -> int:
        return len(self._block.fragments)

    @property
    def last_fragment(self) -> int:
        return int(self._block.fragments[-1]) if len(self) else 0

    def extend(self, block: VectorBlock) -> ExactIndex:
        if not len(block.fragments):
            return self
        if not len(self):
            return ExactIndex(block)
        pairs = zip(_columns(self._block), _columns(block), strict=True)
        return ExactIndex(VectorBlock(*(np.concatenate(pair) for pair in pairs)))

    def search(self, query: Vectors, count: int, rows: Rows | None) -> list[tuple[int, float]]:
        if not len(self) or count <= 0:
            return []
        cosines = self._cosines(query)
        if rows is not None:
            ids = np.fromiter(rows.ids, dtype=np.int64, count=len(rows.ids))
            cosines[np.isin(self._block.documents, ids, invert=rows.only)] = -np.inf
        count = min(count, len(cosines))
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.lexsort((self._block.fragments[best], -cosines[best]))]
        return [(int(self._block.fragments[i]), float(cosines[i])) for i in best if np.isfinite(cosines[i])]

    def scores(self, query: Vectors, fragments: Sequence[int]) -> dict[int, float]:
        if not len(self) or not fragments:
            return {}
        wanted = np.asarray(fragments, dtype=np.int64)
        at = np.searchsorted(self._block.fragments, wanted)
        at[at == len(self)] = 0
        at = at[self._block.fragments[at] == wanted]
        cosines = np.vecdot(self._block.vectors[at].astype(np.float32), query) * self._block.scales[at]
        return {int(f): float(c) for f, c in zip(self._block.fragments[at], cosines, strict=True)}

    def _cosines(self, query: Vectors) -> NDArray[np.float32]:
        vectors = self._block.vectors
        cosines = np.empty(len(vectors), dtype=np.float32)
        buffer = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), dtype=np.float32)
        for start in range(0, len(vectors), _BLOCK):
            block = vectors[start : start + _BLOCK]
            part = buffer[: len(block)]
            np.copyto(part, block, casting="unsafe")
            # Not a BLAS product: its threads stall for tens of milliseconds where another process has a core.
            np.vecdot(part, query, out=cosines[start : start + len(block)])
        cosines *= self._block.scales
        return cosines


def _columns(block: VectorBlock) -> tuple[NDArray[np.generic], ...]:
    return block.fragments, block.documents, block.vectors, block.scales


@dataclass(frozen=True, slots=True)
class _Warm:
    index: ExactIndex
    generation: int
    removals: int


class VectorCache:
    """Vectors of every space that was asked for. New rows are appended; a removal reloads the space."""

    def __init__(self, approximate: HnswFolder | None = None) -> None:
        self._warm: dict[str, _Warm] = {}
        self._approximate = approximate
        self._lock = threading.Lock()

    def index(self, reader: Reader, space: str, generation: int) -> VectorIndex:
        with self._lock:
            if self._approximate is not None:
                found = self._approximate.open(reader, space)
                if found is not None:
                    return found
            warm = self._warm.get(space)
            if warm is None or warm.generation != generation:
                warm = self._refresh(reader, space, generation, warm)
                self._warm[space] = warm
            return warm.index

    def rest(self, reader: Reader, space: str, lacking: str, generation: int) -> VectorIndex | None:
        """The vectors of ``space`` that ``lacking`` has none of; ``None`` where there are none."""
        with self._lock:
            key, removals = f"{space} without {lacking}", reader.vector_removals()
            warm = self._warm.get(key)
            if warm is None or warm.generation != generation:
                warm = _Warm(ExactIndex(reader.vectors_of(space, reader.lacking(lacking))), generation, removals)
                self._warm[key] = warm
            return warm.index if len(warm.index) else None

    def _refresh(self, reader: Reader, space: str, generation: int, warm: _Warm | None) -> _Warm:
        removals = reader.vector_removals()
        if warm is not None and warm.removals == removals and warm.generation < generation:
            index = warm.index.extend(reader.vectors(space, after=warm.index.last_fragment))
        else:
            index = ExactIndex(reader.vectors(space))
        return _Warm(index, generation, removals)
