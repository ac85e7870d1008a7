"""The cut: what is not relevant enough is not an answer."""

from __future__ import annotations

from hearth.ranking.stage import Candidate, Stage
from hearth.ranking.weights import CUT


def apply_cut(floor: float, given: float | None, ratio: float = CUT.ratio) -> Stage:
    """Nothing is kept unless some candidate's relevance, before metadata moved it, clears the floor; then those above
    a share of the best. A least score that the user has ``given`` replaces both, for each candidate."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        if given is not None:
            return [candidate for candidate in candidates if candidate.score >= given]
        if not candidates or max(candidate.relevance for candidate in candidates) < floor:
            return []
        bar = ratio * max(candidate.score for candidate in candidates)
        return [candidate for candidate in candidates if candidate.score >= bar]

    return stage
