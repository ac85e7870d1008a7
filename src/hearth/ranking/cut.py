"""The cut: what is not relevant enough is not an answer."""

from __future__ import annotations

from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CUT


def cut_at(candidates: list[Candidate], least: float) -> list[Candidate]:
    """Those that reach a score that somebody asked for."""
    return [candidate for candidate in candidates if candidate.score >= least]


def cut_weak(candidates: list[Candidate]) -> list[Candidate]:
    """Without what scores less than ``CUT.ratio`` times the best or less than ``CUT.least``; the first one stays."""
    # An assistant's words count less than a person's, which says nothing of whether they are about the question.
    scores = [candidate.score_without("voice") for candidate in candidates]
    bar = max(CUT.least, CUT.ratio * max(scores, default=0.0))
    return [one for place, one in enumerate(candidates) if not place or scores[place] >= bar]
