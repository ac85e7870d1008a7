"""Fusion: one score from the calibrated scores of the lanes."""

from __future__ import annotations

from collections.abc import Mapping


def fuse(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted mean over the lanes in ``weights`` (those that answered); a lane that missed this candidate
    counts as 0. Lanes in ``scores`` beyond that raise the mean toward 1, so that extra agreement never lowers it."""
    total = sum(weights.values())
    if total <= 0:
        return 0.0
    return sum(weight * scores.get(lane, 0.0) for lane, weight in weights.items()) / total


def agree(score: float, bonus: float) -> float:
    """Raises ``score`` by a share of what is missing to 1."""
    return score + bonus * (1.0 - score)
