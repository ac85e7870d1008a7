"""The cut: what is not relevant enough is not an answer."""

from __future__ import annotations

from hearth.ranking.stage import Candidate, Stage
from hearth.ranking.weights import CUT


def apply_cut(floor: float | None, ratio: float = CUT.ratio) -> Stage:
    """Keeps candidates that clear an absolute floor (on the score before metadata moved it) and a share of the best."""
    least = CUT.floor if floor is None else floor

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        if not candidates:
            return []
        bar = max(least, ratio * max(candidate.score for candidate in candidates))
        return [c for c in candidates if c.score >= bar and max(c.fused, c.score) >= least]

    return stage
