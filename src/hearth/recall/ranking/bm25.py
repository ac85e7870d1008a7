"""BM25 over weighted fields, and the calibration of scores and cosines to [0, 1]."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hearth.core.fragment import Curve
from hearth.core.lazy import dataclass
from hearth.recall.ranking.weights import KEYWORD
from hearth.text.terms import sum_all_counts, sum_counts

if TYPE_CHECKING:
    from hearth.ports import Vectors


@dataclass(frozen=True, slots=True)
class Weighted:
    """One word of the question: any of ``ids`` counts as it; ``idf`` carries its share of the question. Where a
    fragment has none of them, the heaviest of ``bridges`` (term, weight) that it has counts instead."""

    ids: tuple[int, ...]
    idf: float
    bridges: tuple[tuple[int, float], ...] = ()


class Relevance(NamedTuple):
    """``raw`` is BM25; ``share`` is it relative to the best that any fragment could reach for this question;
    ``coverage`` the part of the question's idf mass whose words occur at all."""

    raw: float
    share: float
    coverage: float

    @property
    def score(self) -> float:
        """Calibrated to [0, 1]: partly how much is covered, mostly how strongly."""
        mix = KEYWORD.coverage * self.coverage + (1 - KEYWORD.coverage) * self.share
        return mix if mix < 1.0 else 1.0


def idf(frequency: float, total: float) -> float:
    """Robertson-Sparck Jones idf, kept positive."""
    return math.log1p((total - frequency + 0.5) / (frequency + 0.5))


def list_terms(words: Iterable[Weighted]) -> frozenset[int]:
    """All terms that count for any of the words."""
    words = list(words)
    bridges = (term for word in words for term, _ in word.bridges)
    return frozenset((*(term for word in words for term in word.ids), *bridges))


def count_occurrences(packed: bytes, wanted: frozenset[int]) -> dict[int, float]:
    """How often a fragment has each of the ``wanted`` terms in it, weighted by field."""
    return sum_counts(packed, wanted, KEYWORD.heading, KEYWORD.meta)


def count_all_occurrences(packed: Sequence[bytes], wanted: frozenset[int]) -> list[dict[int, float]]:
    """As ``count_occurrences`` of each."""
    return sum_all_counts(packed, wanted, KEYWORD.heading, KEYWORD.meta)


def relevance(occurrences: Mapping[int, float], length: float, words: Sequence[Weighted], mass: float) -> Relevance:
    """``length`` is relative to the mean; ``mass`` is the idf sum over the whole question, words that the index lacks
    included."""
    norm = KEYWORD.k1 * (1 - KEYWORD.b + KEYWORD.b * length)
    raw = covered = 0.0
    for word in words if occurrences else ():
        tf, weight = 0.0, word.idf
        for term in word.ids:
            if term in occurrences:
                tf += occurrences[term]
        if not tf:
            for term, strength in word.bridges:
                if term in occurrences and (tf := occurrences[term]):
                    weight = strength
                    break
        if tf:
            raw += weight * tf * (KEYWORD.k1 + 1) / (tf + norm)
            covered += weight
    if mass <= 0:
        return Relevance(0.0, 0.0, 0.0)
    return Relevance(raw, min(1.0, raw / (mass * (KEYWORD.k1 + 1))), covered / mass)


def temper(curve: Curve, power: float) -> Curve:
    """The curve whose odds are those of ``curve`` to the power of ``power``: below 1 for evidence that others give,
    too, and that must not be counted twice."""
    return Curve(curve.slope * power, curve.intercept * power)


def probability(curve: Curve, cosine: Vectors) -> Vectors:
    """P(relevant) for cosines of a question and fragments: float32, same shape, in [0, 1], rising with the cosine."""
    import numpy as np

    odds = np.asarray(cosine, dtype=np.float32) * np.float32(curve.slope) + np.float32(curve.intercept)
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)), dtype=np.float32)


# Scores nearer to 0 or 1 than this are equal: below it a broken model's noise begins.
_EDGE = 1e-6


def log_odds(score: float) -> float:
    """ln(s / (1 - s)) of a score in [0, 1], within about +-13.8."""
    kept = min(1 - _EDGE, max(_EDGE, score))
    return math.log(kept / (1 - kept))


def platt_probability(curve: Curve, value: float) -> float:
    """P(relevant) at one value, in [0, 1]."""
    return 0.5 * (1 + math.tanh(0.5 * (curve.slope * value + curve.intercept)))
