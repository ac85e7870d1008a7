"""Search among vectors: exact over int8 rows in memory, and by an HNSW graph where there are too many to compare."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import importlib
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hearth.core.errors import Remedy, Unavailable
from hearth.core.files import locked, open_private
from hearth.core.lazy import dataclass
from hearth.ports import Rows, VectorBlock, VectorIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hearth.ports import Vectors
    from hearth.store.sqlite.read_search import SqliteVectorReader

# Above this many vectors the exact scan (0.06 ms per 1,000 rows) no longer fits the latency target.
MIN_VECTORS = 200_000
_EXPANSION = 128
_OVERFETCH = 4
# Those that are added at once don't know of each other: the first one after the other, then so many by all cores.
_FIRST, _STEP = 1_000, 50_000
# So few among many that the graph's candidates would hardly hold one; comparing them all takes some 20 ms.
_FEW_DOCUMENTS = 500


class HnswFolder:
    """The graphs of one vault's cache folder."""

    def __init__(self, folder: Path, minimum: int = MIN_VECTORS) -> None:
        self._folder = folder
        self._minimum = minimum
        self._open: dict[str, tuple[Path, HnswIndex]] = {}

    def path(self, reader: SqliteVectorReader, space: str) -> Path:
        """Where the graph of the space's present vectors belongs."""
        return self._folder / f"{_stem(space)}-{reader.vector_removals()}.{reader.last_vector(space)}.usearch"

    def build(self, reader: SqliteVectorReader, space: str, progress: Callable[[int], None]) -> Path | None:
        """Makes the graph of the present vectors where the space is large enough; older graphs go."""
        if reader.count_vectors(space) < self._minimum:
            return None
        path = self.path(reader, space)
        with locked(self._folder / "hnsw.lock"):
            if not path.exists():
                self._publish(path, reader.vectors(space), progress)
            for old in self._folder.glob(f"{_stem(space)}-*.usearch"):
                if old != path:
                    old.unlink(missing_ok=True)
        return path

    def prune(self, spaces: Sequence[str]) -> None:
        """Removes the graphs of all other spaces."""
        kept = {_stem(space) for space in spaces}
        with locked(self._folder / "hnsw.lock"):
            for path in self._folder.glob("hnsw-*-*.usearch"):
                if path.name.rsplit("-", 1)[0] not in kept:
                    path.unlink(missing_ok=True)

    def _publish(self, path: Path, block: VectorBlock, progress: Callable[[int], None]) -> None:
        """Under the lock, so that all half-built graphs share one name and a killed build leaves one file at most."""
        graph = _empty(block.vectors.shape[1])
        count = len(block.fragments)
        for start, end in pairwise((0, *range(_FIRST, count, _STEP), count)):
            graph.add(block.fragments[start:end], block.vectors[start:end], threads=0 if start else 1)
            progress(end)
        temporary = self._folder / "hnsw.tmp"
        try:
            os.close(open_private(str(temporary), os.O_WRONLY | os.O_CREAT))
            graph.save(str(temporary))
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            # Saving does not notice a full disk, and reading a graph that was cut short can kill the process.
            if temporary.stat().st_size != graph.serialized_length:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            temporary.replace(path)
        except (OSError, RuntimeError) as error:
            temporary.unlink(missing_ok=True)
            raise Unavailable(
                f"can't write {path}: {error}; check free space", Remedy("update", joint=" and ")
            ) from error

    def open(self, reader: SqliteVectorReader, space: str) -> HnswIndex | None:
        """The graph of exactly these vectors; ``None`` where there is none, then the exact scan serves."""
        if not self._has_graph(f"{_stem(space)}-"):
            return None  # cheaper than computing the name that the file would have
        path, opened = self.path(reader, space), self._open.get(space)
        if opened is not None and opened[0] == path:
            return opened[1].over(reader)
        if not path.exists():
            return None
        graph = _view(path)
        if graph is None:
            return None
        index = HnswIndex(graph, space, reader)
        self._open = {**self._open, space: (path, index)}
        return index

    def _has_graph(self, start: str) -> bool:
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 (``iterdir`` and ``glob`` take ten times as long)
        except OSError:
            return False
        return any(name.startswith(start) and name.endswith(".usearch") for name in names)


class HnswIndex:
    """Implements ``ports.VectorIndex``: the graph proposes, stored vectors decide."""

    def __init__(self, graph: Any, space: str, reader: SqliteVectorReader) -> None:
        self._graph = graph
        self._space = space
        self._reader = reader

    def over(self, reader: SqliteVectorReader) -> HnswIndex:
        return HnswIndex(self._graph, self._space, reader)

    def __len__(self) -> int:
        return len(self._graph)

    def search(self, query: Vectors, count: int, rows: Rows | None) -> list[tuple[int, float]]:
        """Under a filter the graph is asked for more until enough are admitted or it has no more; a filter that admits
        few documents needs no graph."""
        if count <= 0:
            return []
        if rows is not None and rows.only and len(rows.ids) <= _FEW_DOCUMENTS:
            parts = [part.id for row in rows.ids for part in self._reader.fragments_of(row)]
            return _score(self._reader.vectors(self._space, fragments=parts), query, None)[:count]
        wanted = count * _OVERFETCH
        size = len(self._graph)
        while True:
            found = self._graph.search(_int8(query), min(wanted, size), exact=False)
            block = self._reader.vectors(self._space, fragments=[int(key) for key in found.keys])
            scored = _score(block, query, rows)
            if len(scored) >= count or wanted >= min(size, 64 * count * _OVERFETCH):
                return scored[:count]
            wanted *= 4

    def scores(self, query: Vectors, fragments: Sequence[int]) -> dict[int, float]:
        return dict(_score(self._reader.vectors(self._space, fragments=fragments), query, None))


def _stem(space: str) -> str:
    return f"hnsw-{hashlib.sha256(space.encode()).hexdigest()[:12]}"


def _score(block: VectorBlock, query: Vectors, rows: Rows | None) -> list[tuple[int, float]]:
    if not len(block.fragments):
        return []
    cosines = np.vecdot(block.vectors.astype(np.float32), query) * block.scales
    found = [
        (int(fragment), float(cosine))
        for fragment, document, cosine in zip(block.fragments, block.documents, cosines, strict=True)
        if rows is None or rows.admits(int(document))
    ]
    return sorted(found, key=lambda item: (-item[1], item[0]))


def _graphs() -> Any:
    """``usearch`` opens a library whose C++ symbols every later one gets; where it is the first to have any,
    importing ``onnxruntime`` afterwards ends the process. So the system's come first."""
    with suppress(OSError):
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
    return importlib.import_module("usearch.index")


def _empty(dimensions: int) -> Any:
    return _graphs().Index(ndim=dimensions, metric="cos", dtype="i8", expansion_search=_EXPANSION)


def _int8(query: Vectors) -> Any:
    peak = float(np.abs(query).max()) or 1.0
    return np.round(query * (127.0 / peak)).astype(np.int8)


def _view(path: Path) -> Any | None:
    """``None`` for a file that is no graph."""
    try:
        return _graphs().Index.restore(str(path), view=True)
    except (ValueError, RuntimeError):
        return None


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

    def index(self, reader: SqliteVectorReader, space: str, generation: int) -> VectorIndex:
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

    def rest(self, reader: SqliteVectorReader, space: str, lacking: str, generation: int) -> VectorIndex:
        """The vectors of ``space`` that ``lacking`` has none of."""
        with self._lock:
            key, removals = f"{space} without {lacking}", reader.vector_removals()
            warm = self._warm.get(key)
            if warm is None or warm.generation != generation:
                warm = _Warm(ExactIndex(reader.vectors(space, fragments=reader.lacking(lacking))), generation, removals)
                self._warm[key] = warm
            return warm.index

    def _refresh(self, reader: SqliteVectorReader, space: str, generation: int, warm: _Warm | None) -> _Warm:
        removals = reader.vector_removals()
        if warm is not None and warm.removals == removals and warm.generation < generation:
            index = warm.index.extend(reader.vectors(space, after=warm.index.last_fragment))
        else:
            index = ExactIndex(reader.vectors(space))
        return _Warm(index, generation, removals)
