"""Vector indexes kept warm between requests, brought up to date by what each request's transaction sees."""

from __future__ import annotations

import threading

from hearth.core.lazy import dataclass
from hearth.ports import Reader, VectorIndex
from hearth.store.exact import ExactIndex
from hearth.store.hnsw import HnswFolder


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
