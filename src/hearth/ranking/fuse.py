"""Fusion: one score from the calibrated scores of the lanes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul


def fuse(scores: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean of the lanes' scores, in the order of ``weights``: 0 for a lane that missed this candidate,
    weight 0 for one that did not answer."""
    total = sum(weights)
    return sum(map(mul, weights, scores)) / total if total > 0 else 0.0
