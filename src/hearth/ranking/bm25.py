"""BM25 over weighted fields, and its calibration to [0, 1].

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009); the fields are combined as in
BM25F: weighted occurrences are summed before they saturate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from hearth.lazy import dataclass
from hearth.ranking.weights import KEYWORD
from hearth.text.packed import Packed


@dataclass(frozen=True, slots=True)
class Weighted:
    """One word of the question: any of ``ids`` counts as it; ``idf`` carries its share of the question. Where a passage
    has none of them, the heaviest of ``bridges`` (term, weight) that it has counts instead."""

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


def relevance(terms: Packed, length: float, words: Sequence[Weighted], mass: float) -> Relevance:
    """``length`` is relative to the mean; ``mass`` is the idf sum over the whole question, words that the index lacks
    included."""
    norm = KEYWORD.k1 * (1 - KEYWORD.b + KEYWORD.b * length)
    raw = covered = 0.0
    present: frozenset[int] | None = None
    for word in words:
        tf, weight = 0.0, word.idf
        for term in word.ids:
            counts = terms.counts(term)
            if counts is not None:
                tf += _sum_fields(counts)
        if not tf and word.bridges:
            # A set once a passage: most of the many bridges lead nowhere in it.
            present = present or frozenset(terms.ids())
            weight, tf = _cross(terms, present, word.bridges)
        if tf:
            raw += weight * tf * (KEYWORD.k1 + 1) / (tf + norm)
            covered += weight
    if mass <= 0:
        return Relevance(0.0, 0.0, 0.0)
    return Relevance(raw, min(1.0, raw / (mass * (KEYWORD.k1 + 1))), covered / mass)


def _sum_fields(counts: tuple[int, int, int]) -> float:
    return counts[0] + KEYWORD.heading * counts[1] + KEYWORD.meta * counts[2]


def _cross(terms: Packed, present: frozenset[int], bridges: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Weight and occurrences of the first that occurs."""
    for term, weight in bridges:
        counts = terms.counts(term) if term in present else None
        if counts is not None and (tf := _sum_fields(counts)):
            return weight, tf
    return 0.0, 0.0
