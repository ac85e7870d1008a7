"""The vectors of documents' passages, each document's with their mean. What was read is put aside, since most documents
are near to several: together they are larger than what a process may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from hearth.graph import nearest
from hearth.graph.nearest import PassageRows
from hearth.ports import MeanVector, Reader

_SCALE_BYTES = 4


class Passages:
    """Of each document the first ``most``. ``aside`` is an empty file, which is closed where it can't be written; then
    the index is read again."""

    def __init__(self, space: str, most: int, aside: BinaryIO) -> None:
        self._space, self._most, self._aside = space, most, aside
        # By row the offset in bytes, and how many vectors there are.
        self._places: dict[int, tuple[int, int]] = {}
        self._end, self._width = 0, 0

    def read(self, reader: Reader, rows: Iterable[int], means: Mapping[int, MeanVector]) -> dict[int, PassageRows]:
        """By row the vectors of documents that have them all; the others are absent. ``means`` are those that are
        known."""
        wanted = set(rows)
        found = dict(self._recall(wanted & self._places.keys()))
        fresh = read_passages(reader, self._space, wanted - found.keys(), self._most, means)
        self.keep(fresh)
        return found | fresh

    def keep(self, read: Mapping[int, PassageRows]) -> None:
        """Puts them aside."""
        if self._aside.closed:
            return
        parts: list[bytes] = []
        end = self._end
        for row, one in read.items():
            levels, scales = self._cut(one)
            self._places[row] = end, len(levels)
            parts += [levels.tobytes(), scales.tobytes()]
            end, self._width = end + levels.nbytes + scales.nbytes, levels.shape[1]
        try:
            self._aside.seek(self._end)
            self._aside.write(b"".join(parts))
            self._aside.flush()
            self._end = end
        except OSError:
            self._places.clear()
            with suppress(OSError):  # what it holds is written once more
                self._aside.close()

    def _cut(self, one: PassageRows) -> tuple[nearest.Bytes, nearest.Vectors]:
        if len(one.levels) <= self._most + 1:
            return one.levels, one.scales
        kept = [*range(self._most), len(one.levels) - 1]
        return one.levels[kept], one.scales[kept]

    def _recall(self, rows: Iterable[int]) -> Iterable[tuple[int, PassageRows]]:
        width = self._width
        for place, count, row in sorted((*self._places[row], row) for row in rows):
            self._aside.seek(place)
            data = self._aside.read(count * (width + _SCALE_BYTES))
            levels = np.frombuffer(data, np.int8, count * width).reshape(count, width)
            yield row, PassageRows(levels, np.frombuffer(data, np.float32, count, count * width))


def read_passages(
    reader: Reader, space: str, rows: Iterable[int], most: int, means: Mapping[int, MeanVector]
) -> dict[int, PassageRows]:
    """As ``Passages.read``, at most ``most`` of each."""
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
