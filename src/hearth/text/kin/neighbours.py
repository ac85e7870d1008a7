"""English stems near each other in meaning, by the token vectors of the built-in embedder.

The table is made by ``tools/make_neighbours.py``, which states its layout. Reading it needs no numpy.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left
from functools import cache
from pathlib import Path

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class _Table:
    stems: list[str]
    starts: array[int]
    others: array[int]
    cosines: bytes


@cache
def _table() -> _Table:
    data = Path(__file__).with_name("neighbours.bin").read_bytes()
    stems, neighbours = struct.unpack_from("<II", data)
    ends = [8]
    for size in (4 * (stems + 1), 2 * neighbours, neighbours):
        ends.append(ends[-1] + size)
    starts, others = array("I", data[ends[0] : ends[1]]), array("H", data[ends[1] : ends[2]])
    if sys.byteorder == "big":
        starts.byteswap()
        others.byteswap()
    return _Table(data[ends[3] :].decode().split("\n"), starts, others, data[ends[2] : ends[3]])


def neighbours_of(stem: str) -> list[tuple[str, float]]:
    """Other English stems with their cosine to this one, the nearest first; at most 32, none below 0.3."""
    table = _table()
    at = bisect_left(table.stems, stem)
    if at == len(table.stems) or table.stems[at] != stem:
        return []
    near = range(table.starts[at], table.starts[at + 1])
    return [(table.stems[table.others[each]], table.cosines[each] / 255) for each in near]
