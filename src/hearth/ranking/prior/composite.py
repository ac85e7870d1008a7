"""Composite scoring: ClawMem's weighted sum of relevance, recency and confidence, for those who want it.

Its multipliers are wider than the gap between one good answer and the next, so metadata beats relevance.
"""

from __future__ import annotations

from hearth.ranking.prior.companions import Companions
from hearth.ranking.prior.factors import PIN, Ageing, Factors, quality_multiplier
from hearth.ranking.prior.newest import newness
from hearth.ranking.prior.prior import factors_of, settle
from hearth.ranking.stage import Candidate, Stage
from hearth.ranking.weights import CUT

# Weights of relevance, recency and confidence as the original has them, not fitted.
ORDINARY = (0.5, 0.25, 0.25)
RECENT = (0.1, 0.7, 0.2)


def composite(relevance: float, known: Factors, *, recent: bool) -> float:
    """(0.5 relevance + 0.25 recency + 0.25 confidence) * quality * length * frequency * co-activation, and 0.3 for a
    pin; 0.1, 0.7 and 0.2 where recency was asked for. Above 1 where everything speaks for a document."""
    parts = zip(RECENT if recent else ORDINARY, (relevance, known.recency, known.confidence), strict=True)
    score = sum(weight * part for weight, part in parts)
    for multiplier in _multipliers(known).values():
        score *= multiplier
    return score + (PIN if known.pinned else 0.0)


def apply_composite(ageing: Ageing, companions: Companions, *, recent: bool, explain: bool = True) -> Stage:
    """Replaces a score by the composite one, with reasons only to ``explain``. Where recency was asked for, it is that
    of ``newness``: by type, as in the original, the latest decision could not be told from the first. What is not about
    the question at all, scoring less than ``CUT.ratio`` times the best, is left out: metadata would make an answer of
    it."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        least = CUT.ratio * max((candidate.score for candidate in candidates), default=0.0)
        candidates = [candidate for candidate in candidates if candidate.score and candidate.score >= least]
        known = factors_of(candidates, ageing, companions)
        if recent:
            new = newness(candidates, ageing.at)
            known = {row: found._replace(recency=new[row]) for row, found in known.items()}
        why = {row: _why(found, recent=recent) if explain else "" for row, found in known.items()}
        rows = [(c, c.document.id) for c in candidates]
        return settle("prior", [(c, composite(c.score, known[row], recent=recent), why[row]) for c, row in rows])

    return stage


def _why(known: Factors, *, recent: bool) -> str:
    told = [f"recency {known.recency:.2f}", f"confidence {known.confidence:.2f}"]
    told += [f"{name} x{value:.2f}" for name, value in _multipliers(known).items() if abs(value - 1) >= 0.005]
    told += [f"pinned +{PIN}"] if known.pinned else []
    return f"composite{', recency asked for' if recent else ''}: {', '.join(told)}"


def _multipliers(known: Factors) -> dict[str, float]:
    return {
        "quality": quality_multiplier(known.quality),
        "length": known.length,
        "repetition": known.frequency,
        "company": known.coactivation,
    }
