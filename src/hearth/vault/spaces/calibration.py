"""Calibration of a space that nobody measured: its curve by the canary, its weight by the vault's own vectors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hearth.core.fragment import Curve
from hearth.core.lazy import library
from hearth.ports import Reader
from hearth.recall.ranking.bm25 import fit
from hearth.vault.spaces.canary import CanaryReading

if TYPE_CHECKING:
    import numpy as np

    from hearth.ports import Vectors
else:
    np = library("numpy")

CANDIDATES = 10
"""0.5 lies where a passage is as likely the own one as one of so many others; as for the static table."""

# Fragments are taken in runs, so that a sample costs a few reads at any size of the vault.
_RUNS = 16
_RUN = 16
_FEWEST = 20
# A space loses weight below this share of the spread that its model shows between texts about different things.
_ENOUGH = 0.1


def by_pairs(own: Vectors, other: Vectors) -> Curve:
    """From cosines of questions with their own passages and with others."""
    curve = fit(own.tolist(), other.tolist())
    return Curve(curve.slope, curve.intercept - math.log(CANDIDATES))


def by_canary(reading: CanaryReading, known: CanaryReading, curve: Curve) -> Curve:
    """The curve of a model by what the canary read of it, and of a ``known`` model that has a curve.

    0.5 lies where Platt's fit has it. The slope of that fit is too steep, since the canary's few questions are easier
    than people's: so it is the known one, stretched as the gap between own and other passages is."""
    fitted = by_pairs(reading.own, reading.other)
    half = -fitted.intercept / fitted.slope
    slope = curve.slope * _gap(known) / _gap(reading)
    return Curve(slope, -slope * half)


def _gap(reading: CanaryReading) -> float:
    return float(reading.own.mean() - reading.other.mean())


def weight(reader: Reader, space: str, unrelated: Vectors) -> float | None:
    """The say of a space in [0, 1]: 1 unless the vault's fragments lie so close together that nothing tells them
    apart, as those in a language that the model can't read do. ``unrelated`` are the model's vectors of texts about
    different things. ``None`` for a vault too small to tell."""
    sample = _sample(reader, space)
    if len(sample) < _FEWEST:
        return None
    found, usual = _spread(sample), _spread(unrelated)
    return min(1.0, *(have / (_ENOUGH * want) if want > 0 else 1.0 for have, want in zip(found, usual, strict=True)))


def _spread(vectors: Vectors) -> tuple[float, float]:
    """Mean distance 1 - cosine of different rows, and the standard deviation of their cosines."""
    cosines = (vectors @ vectors.T)[~np.eye(len(vectors), dtype=bool)]
    return float(1 - cosines.mean()), float(cosines.std())


def _sample(reader: Reader, space: str) -> Vectors:
    """Unit vectors (n, d) of fragments from all over the vault; rows of zeros are left out."""
    count = reader.statistics().fragments
    starts = sorted({count * part // _RUNS for part in range(_RUNS)})
    ids = sorted({fragment.id for start in starts for fragment in reader.fragments_after(start, _RUN)})
    block = reader.vectors_of(space, ids)
    vectors = block.vectors.astype(np.float32) * block.scales[:, None]
    lengths = np.linalg.norm(vectors, axis=1)
    kept = lengths > 0
    return np.asarray(vectors[kept] / lengths[kept, None], dtype=np.float32)
