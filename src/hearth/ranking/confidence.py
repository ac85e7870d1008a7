"""Confidence: how sure it is that the best passages answer the question, before metadata moved them."""

from __future__ import annotations

import math

from hearth.ranking.weights import CONFIDENCE


def weigh_evidence(coverage: float, nearness: float | None, strength: float, trust: float = 1.0) -> float:
    """All in [0, 1]. ``coverage`` is the part of the question's idf mass in one of the best passages, ``nearness`` the
    probability that the nearest passage is relevant, ``None`` where no vectors are asked, ``strength`` the fused score
    of the best one; ``trust`` is the part of the question that the vectors know."""
    known = CONFIDENCE.unasked if nearness is None else trust * nearness + (1 - trust) * CONFIDENCE.unread
    told = min(1.0, coverage) + CONFIDENCE.meaning * known + CONFIDENCE.strength * strength
    return told / (1 + CONFIDENCE.meaning + CONFIDENCE.strength)


def estimate_confidence(evidence: float) -> float:
    """P(answerable), by a logistic curve fitted on questions with and without an answer."""
    return 1 / (1 + math.exp(-CONFIDENCE.slope * (evidence - CONFIDENCE.middle)))
