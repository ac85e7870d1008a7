"""Documents alike by their vectors: which are nearest, and how near. Pure, and the same in whatever order they came.

Vectors are rows of int8 with a scale. Products of such rows are whole numbers, which floats add up without an error, so
that a rebuilt index finds the same neighbours with the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from hearth.lazy import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.int8]
    Vectors = NDArray[np.float32]

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
    """The vectors of a document: its fragments in order, and their mean."""

    levels: Bytes
    scales: Vectors
    mean: Bytes
    mean_scale: float


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
    kind: Any = np.float32 if one.shape[1] <= _EXACT else np.float64
    return np.asarray(one.astype(kind) @ other.astype(kind).T, dtype=np.float32)


def find_nearest(
    queries: Bytes, own: Sequence[int], vectors: Bytes, scales: Vectors, docids: Sequence[str]
) -> list[tuple[list[int], float]]:
    """For each query the places of its ``NEAREST`` rows, and the value of the last (minus infinity where there are no
    more); ``own`` is the place of each query itself. Of equals the first docids."""
    places: list[list[NDArray[np.int64]]] = [[] for _ in queries]
    values: list[list[Vectors]] = [[] for _ in queries]
    best = np.full((len(queries), NEAREST), -np.inf, dtype=np.float32)
    for first in range(0, len(vectors), _BLOCK):
        block = multiply(queries, vectors[first : first + _BLOCK]) * scales[None, first : first + _BLOCK]
        for row, place in enumerate(own):
            if first <= place < first + _BLOCK:
                block[row, place - first] = -np.inf
        # Few of later blocks come near the best of earlier ones.
        near = block >= np.maximum(best.min(axis=1), _LEAST)[:, None]
        for row in np.flatnonzero(near.any(axis=1)).tolist():
            taken = np.flatnonzero(near[row])
            found = block[row][taken]
            places[row].append(taken + first)
            values[row].append(found)
            best[row] = np.partition(np.concatenate((best[row], found)), -NEAREST)[-NEAREST:]
    return [
        _cut(np.concatenate(there), np.concatenate(valued), docids) if there else ([], float("-inf"))
        for there, valued in zip(places, values, strict=True)
    ]


def _cut(places: NDArray[np.int64], values: Vectors, docids: Sequence[str]) -> tuple[list[int], float]:
    if len(values) > NEAREST:
        kept = values >= np.partition(values, -NEAREST)[-NEAREST]
        places, values = places[kept], values[kept]
    order = sorted(range(len(places)), key=lambda at: (-float(values[at]), docids[int(places[at])]))[:NEAREST]
    last = float(values[order[-1]]) if len(order) == NEAREST else float("-inf")
    return [int(places[at]) for at in order], last


def find_similarity(one: PassageRows, others: Sequence[PassageRows]) -> list[float]:
    """How alike the best passages are, of each pair the nearest: two fragments, or a fragment and the mean."""
    if not others:
        return []
    levels = np.concatenate([part for other in others for part in (other.levels, other.mean[None])])
    scales = np.concatenate([part for other in others for part in (other.scales, _scale(other))])
    mine = np.concatenate((one.levels, one.mean[None]))
    products = multiply(mine, levels) * np.concatenate((one.scales, _scale(one)))[:, None] * scales[None]
    sizes = [len(other.levels) + 1 for other in others]
    ends = np.cumsum(sizes)
    # Two means are alike in any two long texts of a language.
    products[-1, ends - 1] = -np.inf
    best = np.maximum.reduceat(products.max(axis=0), ends - np.array(sizes))
    return [float(value) for value in best]


def _scale(rows: PassageRows) -> Vectors:
    return np.array([rows.mean_scale], dtype=np.float32)


def choose_sample(docids: Sequence[str]) -> list[str]:
    """The same of the same documents; one more or less changes one of them at most."""
    ranked = sorted(docids, key=lambda docid: sha256(f"relations:{docid}".encode()).digest())
    return sorted(ranked[:SAMPLE])


def find_median(sample: Sequence[PassageRows]) -> float:
    """How alike two documents are that have nothing to do with each other: the median of all pairs."""
    found = [value for at, one in enumerate(sample) for value in find_similarity(one, sample[at + 1 :])]
    return float(np.median(found)) if found else 0.0
