"""From cosines to the probability that a passage answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.model.curve import Curve

if TYPE_CHECKING:
    from hearth.ports import Vectors


def temper(curve: Curve, power: float) -> Curve:
    """The curve whose odds are those of ``curve`` to the power of ``power``: below 1 for evidence that others give,
    too, and that must not be counted twice."""
    return Curve(curve.slope * power, curve.intercept * power)


def probability(curve: Curve, cosine: Vectors) -> Vectors:
    """P(relevant) for cosines of a question and passages: float32, same shape, in [0, 1], rising with the cosine."""
    import numpy as np

    odds = np.asarray(cosine, dtype=np.float32) * np.float32(curve.slope) + np.float32(curve.intercept)
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)), dtype=np.float32)
