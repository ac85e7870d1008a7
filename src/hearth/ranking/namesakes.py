"""Namesakes: a question that is a document's whole name asks for that document."""

from __future__ import annotations

from dataclasses import replace

from hearth.ranking.stage import Candidate, order


def lead_namesakes(candidates: list[Candidate]) -> list[Candidate]:
    """Moves what the name lane found above all others, in the order of their scores; what a model thought of the text
    has no say."""
    if not any(candidate.lane("name") for candidate in candidates):
        return candidates
    best = max(candidate.score for candidate in candidates)
    return order([_lead(candidate, best) if candidate.lane("name") else candidate for candidate in candidates])


def _lead(candidate: Candidate, best: float) -> Candidate:
    score = best + (1 - best) * candidate.score
    return replace(candidate.move("name", score, "its name is the question"), reread=None)
