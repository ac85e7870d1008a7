"""Fusion: one score from the calibrated scores of the lanes."""

from __future__ import annotations

from collections.abc import Mapping


def fuse(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted mean over the lanes in ``weights`` (those that answered); a lane that missed this candidate
    counts as 0."""
    total = sum(weights.values())
    if total <= 0:
        return 0.0
    return sum(weight * scores.get(lane, 0.0) for lane, weight in weights.items()) / total
