"""The cut: what is not relevant enough is not an answer."""

from __future__ import annotations

from hearth.ranking.stage import Candidate, Stage
from hearth.ranking.weights import CUT

# Characters. What is shorter takes hardly more room than its heading.
_LONG = 400


def apply_cut(given: float | None, ratio: float = CUT.ratio, beside: float | None = None) -> Stage:
    """Keeps those above ``ratio`` times the best, or ``beside`` times it where they are long and no turns, which
    packing takes apart; or, where the user has ``given`` a least score, those that reach it."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        if given is not None:
            return [candidate for candidate in candidates if candidate.score >= given]
        # An assistant's words count less than a person's, which says nothing of whether they are about the question.
        best = max((candidate.score_without("voice") for candidate in candidates), default=0.0)

        def is_near(candidate: Candidate) -> bool:
            long = candidate.fragment.kind != "turn" and len(candidate.fragment.text) > _LONG
            return candidate.score_without("voice") >= best * (beside if long and beside is not None else ratio)

        return [candidate for candidate in candidates if is_near(candidate)]

    return stage
