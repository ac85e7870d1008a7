"""The prior: what metadata says of a document before the question is asked, in [0, 1]."""

from __future__ import annotations

from hearth.model.types import CONTENT_TYPES, DEFAULT_TYPE
from hearth.ports import StoredDocument
from hearth.ranking.stage import Candidate, Stage, ordered
from hearth.ranking.weights import PRIOR

DAY_MS = 86_400_000


def recency(age_days: float, half_life_days: float | None) -> float:
    """0.5^(age / half life); 1 where the type never ages."""
    if half_life_days is None:
        return 1.0
    return float(0.5 ** (max(0.0, age_days) / half_life_days))


def prior(stored: StoredDocument, at: int, half_lives: dict[str, float | None], *, decay: bool) -> float:
    """clamp(0.5 + sum of w_i (f_i - 0.5)); a pin sets it to 1."""
    if stored.state.pinned:
        return 1.0
    document = stored.document
    kind = CONTENT_TYPES.get(document.content_type, CONTENT_TYPES[DEFAULT_TYPE])
    half_life = half_lives.get(kind.name, kind.half_life_days) if decay else None
    age = (at - document.dated_at) / DAY_MS
    factors = (
        (PRIOR.recency, recency(age, half_life)),
        (PRIOR.confidence, kind.baseline * document.confidence),
        (PRIOR.quality, document.quality),
        (PRIOR.access, min(1.0, stored.state.access_count / 10)),
    )
    return min(1.0, max(0.0, 0.5 + sum(weight * (factor - 0.5) for weight, factor in factors)))


def apply_prior(at: int, half_lives: dict[str, float | None], *, decay: bool, recent: bool) -> Stage:
    """Moves a score inside a narrow band around relevance; inside a wide one by date when recency was asked for."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        if recent:
            return ordered([_by_date(candidate, at) for candidate in candidates])
        moved = []
        for candidate in candidates:
            value = prior(candidate.document, at, half_lives, decay=decay)
            factor = 1 + PRIOR.band * (value - 0.5)
            moved.append(candidate.moved("prior", min(1.0, candidate.score * factor), f"prior {value:.2f}"))
        return ordered(moved)

    return stage


def _by_date(candidate: Candidate, at: int) -> Candidate:
    age = (at - candidate.document.document.dated_at) / DAY_MS
    value = recency(age, 30.0)
    factor = 1 + PRIOR.recency_band * (value - 0.5)
    return candidate.moved("prior", min(1.0, candidate.score * factor), f"recency asked for, {age:.0f} days old")
