"""The prior of a document before the question is asked, in [0, 1], and ClawMem's composite score."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.recall.ranking.factors import (
    COACTIVE_MOST,
    FREQUENCY_MOST,
    PIN,
    Ageing,
    Companions,
    Factors,
    factors,
    newness,
    quality_multiplier,
    together,
)
from hearth.recall.ranking.stage import Candidate, Stage, order
from hearth.recall.ranking.weights import CUT, PRIOR

# Shares of the prior below this are not worth telling.
_TOLD = 0.005


def shares(known: Factors) -> dict[str, float]:
    """w_i (f_i - 0.5) of each factor, mapped to [0, 1]. 0.5 stands for no length to speak of, and for never used, said
    again or seen in company, so that a document without a history is neither raised nor lowered."""
    return {
        "recency": PRIOR.recency * (known.recency - 0.5),
        "confidence": PRIOR.confidence * (known.confidence - 0.5),
        "quality": PRIOR.quality * (known.quality - 0.5),
        "use": PRIOR.access * known.used / 2,
        "length": PRIOR.length * (known.length - 1) / 2,
        "repetition": PRIOR.frequency * (known.frequency - 1) / FREQUENCY_MOST / 2,
        "company": PRIOR.coactivation * (known.coactivation - 1) / COACTIVE_MOST / 2,
    }


def prior(known: Factors) -> float:
    """clamp(0.5 + the sum of the shares); a pin sets it to 1, which nothing else reaches."""
    return 1.0 if known.pinned else min(1.0, max(0.0, 0.5 + sum(shares(known).values())))


def apply_prior(ageing: Ageing, companions: Companions, *, recent: bool, explain: bool = True) -> Stage:
    """Moves a score inside a narrow band around relevance; where recency was asked for, by date inside a wide one.
    Reasons are given only to ``explain``: they cost more than the rest."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        known = factors_of(candidates, ageing, companions)
        new = newness(candidates, ageing.at) if recent else {}
        judged = {row: _judge(found, new.get(row), explain=explain) for row, found in known.items()}
        return settle("prior", [(c, c.score * judged[c.document.id][0], judged[c.document.id][1]) for c in candidates])

    return stage


def factors_of(candidates: Sequence[Candidate], ageing: Ageing, companions: Companions) -> dict[int, Factors]:
    """The factors of each document among the candidates, by its row. ``candidates`` come best first."""
    used = together(candidates, companions)
    documents = {candidate.document.id: candidate.document for candidate in candidates}
    return {row: factors(stored, ageing, used.get(stored.document.docid, 0)) for row, stored in documents.items()}


def settle(stage: str, moved: Sequence[tuple[Candidate, float, str]]) -> list[Candidate]:
    """Candidates with their new scores and the reason, best first. Where the best is above 1, all are divided by it:
    cut off at 1, the best would tie."""
    most = max((score for _, score, _ in moved), default=1.0)
    scale = 1 / most if most > 1 else 1.0
    return order([candidate.move(stage, score * scale, why) for candidate, score, why in moved])


def _judge(known: Factors, new: float | None, *, explain: bool) -> tuple[float, str]:
    """What a score is multiplied by, and why."""
    value = prior(known)
    asked = 1.0 if new is None else 1 + PRIOR.recency_band * (new - 0.5)
    return asked * (1 + PRIOR.band * (value - 0.5)), _explain(known, value, new) if explain else ""


def _explain(known: Factors, value: float, new: float | None) -> str:
    asked = "" if new is None else f"recency asked for, {new:.2f} of the newest; "
    told = sorted(shares(known).items(), key=lambda share: -abs(share[1]))
    named = ", ".join(f"{name} {share:+.2f}" for name, share in told if abs(share) >= _TOLD)
    return f"{asked}prior {value:.2f}: {'pinned' if known.pinned else named}"


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
