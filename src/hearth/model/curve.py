"""The curve that makes a cosine mean something."""

from __future__ import annotations

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Curve:
    """P(relevant | cosine) = 1 / (1 + exp(-(slope * cosine + intercept))), Platt's logistic curve."""

    slope: float
    intercept: float
