"""The terms of a fragment packed into bytes, so that a candidate is rescored without reading its text.

Layout for n terms: n ascending term ids (uint32, little endian), then n body, n heading and n meta counts (uint8,
clipped at 255). A count is found by bisection, without decoding the rest.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from struct import Struct

from hearth.core.fragment import TermCounts


def pack(terms: Iterable[tuple[int, TermCounts]]) -> bytes:
    rows = sorted(terms, key=itemgetter(0))
    if not rows:
        return b""
    numbers, counts = zip(*rows, strict=True)
    ids = array("I", numbers)
    if sys.byteorder == "big":
        ids.byteswap()
    return ids.tobytes() + b"".join(map(_clip, zip(*counts, strict=True)))


def _clip(counts: Sequence[int]) -> bytes:
    try:
        return bytes(counts)
    except ValueError:  # rare: a term more than 255 times in one window
        return bytes(min(255, count) for count in counts)


def sum_counts(packed: bytes, wanted: frozenset[int], heading: float, meta: float) -> dict[int, float]:
    """How often a fragment has each of the ``wanted`` terms that it has; what stands in headings and in what the
    document is called counts ``heading`` and ``meta`` times."""
    size = len(packed) // 7
    ids = _unpacker(size)(packed)
    found: dict[int, float] = {}
    for term in wanted.intersection(ids):
        at = 4 * size + bisect_left(ids, term)
        found[term] = packed[at] + heading * packed[at + size] + meta * packed[at + 2 * size]
    return found


@lru_cache(maxsize=2048)
def _unpacker(size: int) -> Callable[[bytes], tuple[int, ...]]:
    return Struct(f"<{size}I").unpack_from


class Packed:
    """Read access to packed terms."""

    __slots__ = ("_bytes", "_ids", "_size")

    def __init__(self, packed: bytes) -> None:
        self._bytes = packed
        self._size = len(packed) // 7
        self._ids = _unpacker(self._size)(packed)

    def __len__(self) -> int:
        return self._size

    def counts(self, term: int) -> tuple[int, int, int] | None:
        """(body, heading, meta) occurrences, ``None`` where the fragment lacks the term."""
        size = self._size
        at = bisect_left(self._ids, term)
        if at == size or self._ids[at] != term:
            return None
        base = 4 * size + at
        packed = self._bytes
        return packed[base], packed[base + size], packed[base + 2 * size]

    def ids(self) -> list[int]:
        return list(self._ids)

    def body_ids(self) -> Iterator[int]:
        """Terms that occur in the body."""
        return compress(self._ids, self._bytes[4 * self._size : 5 * self._size])

    def strong_ids(self) -> Iterator[int]:
        """Terms that stand prominently: repeated in the body, or in a heading or the path."""
        size, packed = self._size, self._bytes
        base = 4 * size
        for at, term in enumerate(self._ids):
            if packed[base + at] > 1 or packed[base + size + at] or packed[base + 2 * size + at]:
                yield term


def prominent(counts: TermCounts) -> bool:
    return counts.body > 1 or counts.heading > 0 or counts.meta > 0
