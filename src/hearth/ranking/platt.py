"""Fitting the logistic curve that makes a model's scores mean something."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hearth.model.curve import Curve

# Scores nearer to 0 or 1 than this are equal: below it a broken model's noise begins.
_EDGE = 1e-6
_STEPS = 50
_RIDGE = 1e-3


def log_odds(score: float) -> float:
    """ln(s / (1 - s)) of a score in [0, 1], within about +-13.8."""
    kept = min(1 - _EDGE, max(_EDGE, score))
    return math.log(kept / (1 - kept))


def probability(curve: Curve, value: float) -> float:
    """P(relevant) at one value, in [0, 1]."""
    return 0.5 * (1 + math.tanh(0.5 * (curve.slope * value + curve.intercept)))


def fit(relevant: Sequence[float], others: Sequence[float]) -> Curve:
    """The curve over known examples of both kinds, each kind weighing half.

    Platt (1999): targets (n + 1) / (n + 2) and 1 / (n + 2) keep separable examples from an endless slope. By Newton's
    method on standardised values with a small ridge.
    """
    values = [*relevant, *others]
    mean = sum(values) / len(values)
    scale = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) or 1.0
    examples = [
        *(
            ((value - mean) / scale, (len(relevant) + 1) / (len(relevant) + 2), 0.5 / len(relevant))
            for value in relevant
        ),
        *(((value - mean) / scale, 1 / (len(others) + 2), 0.5 / len(others)) for value in others),
    ]
    slope = intercept = 0.0
    for _ in range(_STEPS):
        step = _newton(examples, slope, intercept)
        slope, intercept = slope - step[0], intercept - step[1]
        if max(map(abs, step)) < 1e-9:
            break
    return Curve(slope / scale, intercept - slope * mean / scale)


def _newton(examples: Sequence[tuple[float, float, float]], slope: float, intercept: float) -> tuple[float, float]:
    """One step of both parameters for (value, target, weight)."""
    first, second = _RIDGE * slope, 0.0
    squares, products, ones = _RIDGE, 0.0, 1e-12
    for value, target, weight in examples:
        found = 0.5 * (1 + math.tanh(0.5 * (slope * value + intercept)))
        error, bend = weight * (found - target), weight * found * (1 - found)
        first, second = first + error * value, second + error
        squares, products, ones = squares + bend * value * value, products + bend * value, ones + bend
    size = squares * ones - products * products
    return (ones * first - products * second) / size, (squares * second - products * first) / size
