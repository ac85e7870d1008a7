"""The vectors of documents' passages, each document's with their mean."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from hearth.graph import nearest
from hearth.graph.nearest import PassageRows
from hearth.ports import MeanVector, Reader

_KEPT_BYTES = 32 * 2**20


class PassageCache:
    """Keeps those of the documents that were read last: most are near to several."""

    def __init__(self, space: str, most: int) -> None:
        """``most`` passages of a document are read."""
        self._space, self._most = space, most
        self._kept: dict[int, PassageRows] = {}
        self._blocks = deque[tuple[list[int], int]]()
        self._bytes = 0

    def read(self, reader: Reader, rows: Iterable[int], means: Mapping[int, MeanVector]) -> dict[int, PassageRows]:
        """By row the vectors of documents that have them all; the others are absent. ``means`` are those that are
        known."""
        wanted = set(rows)
        known = {row: self._kept[row] for row in wanted & self._kept.keys()}
        fresh = read_passages(reader, self._space, wanted - known.keys(), self._most, means)
        self._keep(fresh)
        return known | fresh

    def _keep(self, fresh: Mapping[int, PassageRows]) -> None:
        self._kept.update(fresh)
        # What was read together is one block of memory.
        self._blocks.append((list(fresh), sum(one.levels.nbytes for one in fresh.values())))
        self._bytes += self._blocks[-1][1]
        while self._bytes > _KEPT_BYTES:
            gone, size = self._blocks.popleft()
            self._bytes -= size
            for row in gone:
                del self._kept[row]


def read_passages(
    reader: Reader, space: str, rows: Iterable[int], most: int, means: Mapping[int, MeanVector]
) -> dict[int, PassageRows]:
    """As ``PassageCache.read``, at most ``most`` of each."""
    block = reader.vectors_within(space, list(rows), most)
    if not len(block.documents):
        return {}
    # Those of a document follow one another; here with room for the mean behind them.
    bounds = [0, *(np.flatnonzero(np.diff(block.documents)) + 1).tolist(), len(block.documents)]
    places = np.arange(len(block.documents)) + np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    levels = np.empty((len(block.documents) + len(bounds) - 1, block.vectors.shape[1]), dtype=np.int8)
    scales = np.empty(len(levels), dtype=np.float32)
    levels[places], scales[places] = block.vectors, block.scales
    found: dict[int, PassageRows] = {}
    for at, (first, last) in enumerate(pairwise(bounds)):
        row, mean = int(block.documents[first]), last + at
        known = means.get(row)
        levels[mean], scales[mean] = (
            (known.levels, known.scale)
            if known is not None
            else nearest.find_mean(block.vectors[first:last], block.scales[first:last])
        )
        found[row] = PassageRows(levels[first + at : mean + 1], scales[first + at : mean + 1])
    return found
