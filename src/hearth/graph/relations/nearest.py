"""Documents alike by their vectors: which are nearest, and how near. Pure, and the same in whatever order they came.

Vectors are rows of int8 with a scale. Products of such rows are whole numbers, which floats add up without an error, so
that a rebuilt index finds the same neighbours with the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from hearth.core.lazy import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.int8]
    Vectors = NDArray[np.float32]
    Places = NDArray[np.int64]

NEAREST = 24
"""Candidates by their mean vectors."""
SAMPLE = 142
"""Documents whose pairs, some 10,000, tell how alike any two are."""
_LEVELS = 127
_EXACT = 1_024  # dimensions up to which float32 holds every product of two rows
_BLOCK = 8_192
_LEAST = np.finfo(np.float32).min


@dataclass(frozen=True, slots=True)
class PassageRows:
    """The vectors of a document: its fragments in order, and last their mean."""

    levels: Bytes
    scales: Vectors


def find_mean(levels: Bytes, scales: Vectors) -> tuple[Bytes, float]:
    """The mean of rows, brought to length 1, as int8 and its scale."""
    mean = (levels.astype(np.float64) * scales[:, None].astype(np.float64)).sum(axis=0)
    mean /= float(np.sqrt((mean * mean).sum())) or 1.0
    peak = float(np.abs(mean).max(initial=0.0))
    if peak == 0.0:
        return np.zeros(levels.shape[1], dtype=np.int8), 0.0
    # Rounded, so that the last bits of a sum decide nothing.
    scale = float(np.float32(round(peak / _LEVELS, 9)))
    return np.clip(np.rint(np.round(mean / scale, 6)), -_LEVELS, _LEVELS).astype(np.int8), scale


def multiply(one: Bytes, other: Bytes) -> Vectors:
    """Products of all pairs of rows, exact."""
    kind = _exact(one)
    return np.asarray(one.astype(kind) @ other.astype(kind).T, dtype=np.float32)


def find_nearest(
    queries: Bytes, own: Sequence[int], vectors: Bytes, scales: Vectors, docids: Sequence[str]
) -> list[tuple[list[int], float]]:
    """For each query the places of its ``NEAREST`` rows, and the value of the last (minus infinity where there are no
    more); ``own`` is the place of each query itself. Of equals the first docids."""
    found = _find_all(queries, np.asarray(own, dtype=np.int64), vectors, scales)
    return [_cut(there, values, docids) for there, values in found]


def _find_all(queries: Bytes, own: Places, vectors: Bytes, scales: Vectors) -> list[tuple[Places, Vectors]]:
    """Of each query the places and values of its ``NEAREST`` rows, and of all that are as near as the last."""
    count = len(queries)
    rows, places = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    values = np.empty(0, dtype=np.float32)
    least = np.full(count, _LEAST, dtype=np.float32)
    left = queries.astype(_exact(queries))
    room = np.empty((count, _BLOCK), dtype=left.dtype)
    for first in range(0, len(vectors), _BLOCK):
        right = vectors[first : first + _BLOCK]
        products = np.matmul(left, right.astype(left.dtype).T, out=room[:, : len(right)])
        block = products.astype(np.float32, copy=False)
        block *= scales[first : first + _BLOCK]
        here = np.flatnonzero((own >= first) & (own < first + len(right)))
        block[here, own[here] - first] = -np.inf
        if first == 0 and len(right) > NEAREST:
            least = np.maximum(np.partition(block, -NEAREST, axis=1)[:, -NEAREST], least)
        # Few of later blocks come near the best of earlier ones.
        row, column = np.divmod(np.flatnonzero(block >= least[:, None]), len(right))
        rows, values = np.concatenate((rows, row)), np.concatenate((values, block[row, column]))
        places = np.concatenate((places, column + first))
        order = np.lexsort((-values, rows))
        rows, places, values = rows[order], places[order], values[order]
        starts, ends = np.searchsorted(rows, np.arange(count)), np.searchsorted(rows, np.arange(count), side="right")
        full = ends - starts >= NEAREST
        least[full] = values[starts[full] + NEAREST - 1]
        kept = values >= least[rows]
        rows, places, values = rows[kept], places[kept], values[kept]
    bounds = np.searchsorted(rows, np.arange(1, count))
    return list(zip(np.split(places, bounds), np.split(values, bounds), strict=True))


def _exact(rows: Bytes) -> Any:
    """The type of floats that holds every product of two such rows."""
    return np.float32 if rows.shape[1] <= _EXACT else np.float64


def _cut(places: Places, values: Vectors, docids: Sequence[str]) -> tuple[list[int], float]:
    order = sorted(range(len(places)), key=lambda at: (-float(values[at]), docids[int(places[at])]))[:NEAREST]
    last = float(values[order[-1]]) if len(order) == NEAREST else float("-inf")
    return [int(places[at]) for at in order], last


def find_similarity(one: PassageRows, others: Sequence[PassageRows]) -> list[float]:
    """How alike the best passages are, of each pair the nearest: two fragments, or a fragment and the mean."""
    if not others:
        return []
    levels = np.concatenate([other.levels for other in others])
    scales = np.concatenate([other.scales for other in others])
    products = multiply(one.levels, levels) * one.scales[:, None] * scales[None]
    sizes = [len(other.levels) for other in others]
    ends = np.cumsum(sizes)
    # Two means are alike in any two long texts of a language.
    products[-1, ends - 1] = -np.inf
    best = np.maximum.reduceat(products.max(axis=0), ends - np.array(sizes))
    return [float(value) for value in best]


def choose_sample(docids: Sequence[str]) -> list[str]:
    """The same of the same documents; one more or less changes one of them at most."""
    ranked = sorted(docids, key=lambda docid: sha256(f"relations:{docid}".encode()).digest())
    return sorted(ranked[:SAMPLE])


def find_median(sample: Sequence[PassageRows]) -> float:
    """How alike two documents are that have nothing to do with each other: the median of all pairs."""
    found = [value for at, one in enumerate(sample) for value in find_similarity(one, sample[at + 1 :])]
    return float(np.median(found)) if found else 0.0
