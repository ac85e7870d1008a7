"""Approximate search for vaults too large to compare every vector: an HNSW graph in a side file.

The graph (Malkov & Yashunin 2016, by ``usearch``) only proposes candidates; they are rescored exactly from the stored
vectors. The file is named by the space and by what tells its vectors from earlier ones, so that work on another space
leaves it valid, and published by rename, so a reader never sees a half-built one.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import importlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hearth.core.errors import Remedy, Unavailable
from hearth.core.files import locked, open_private
from hearth.ports import Reader, Rows, VectorBlock

if TYPE_CHECKING:
    from hearth.ports import Vectors

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

    def path(self, reader: Reader, space: str) -> Path:
        """Where the graph of the space's present vectors belongs."""
        return self._folder / f"{_stem(space)}-{reader.vector_removals()}.{reader.last_vector(space)}.usearch"

    def build(self, reader: Reader, space: str, progress: Callable[[int], None]) -> Path | None:
        """Makes the graph of the present vectors where the space is large enough; older graphs go."""
        if reader.vector_count(space) < self._minimum:
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

    def open(self, reader: Reader, space: str) -> HnswIndex | None:
        """The graph of exactly these vectors; ``None`` where there is none, then the exact scan serves."""
        if next(self._folder.glob(f"{_stem(space)}-*.usearch"), None) is None:
            return None  # cheaper than computing the name that the file would have
        path, held = self.path(reader, space), self._open.get(space)
        if held is not None and held[0] == path:
            return held[1].over(reader)
        if not path.exists():
            return None
        graph = _view(path)
        if graph is None:
            return None
        index = HnswIndex(graph, space, reader)
        self._open = {**self._open, space: (path, index)}
        return index


class HnswIndex:
    """Implements ``ports.VectorIndex``: the graph proposes, stored vectors decide."""

    def __init__(self, graph: Any, space: str, reader: Reader) -> None:
        self._graph = graph
        self._space = space
        self._reader = reader

    def over(self, reader: Reader) -> HnswIndex:
        return HnswIndex(self._graph, self._space, reader)

    def search(self, query: Vectors, count: int, rows: Rows | None) -> list[tuple[int, float]]:
        """Under a filter the graph is asked for more until enough are admitted or it has no more; a filter that admits
        few documents needs no graph."""
        if count <= 0:
            return []
        if rows is not None and rows.only and len(rows.ids) <= _FEW_DOCUMENTS:
            parts = [part.id for row in rows.ids for part in self._reader.fragments_of(row)]
            return _score(self._reader.vectors_of(self._space, parts), query, None)[:count]
        wanted = count * _OVERFETCH
        size = len(self._graph)
        while True:
            found = self._graph.search(_int8(query), min(wanted, size), exact=False)
            block = self._reader.vectors_of(self._space, [int(key) for key in found.keys])
            scored = _score(block, query, rows)
            if len(scored) >= count or wanted >= min(size, 64 * count * _OVERFETCH):
                return scored[:count]
            wanted *= 4

    def scores(self, query: Vectors, fragments: Sequence[int]) -> dict[int, float]:
        return dict(_score(self._reader.vectors_of(self._space, fragments), query, None))


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
