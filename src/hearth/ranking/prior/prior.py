"""The prior: what metadata says of a document before the question is asked, in [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.ranking.prior.companions import Companions, together
from hearth.ranking.prior.factors import COACTIVE_MOST, FREQUENCY_MOST, Ageing, Factors, factors
from hearth.ranking.prior.newest import newness
from hearth.ranking.stage import Candidate, Stage, order
from hearth.ranking.weights import PRIOR

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
