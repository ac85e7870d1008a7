"""Leading: what the question asks for in so many words stands above all else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hearth.ranking.stage import Candidate, order

# Room above the rest, so that those that lead can be told apart.
_MOST = 0.99


def lead(candidates: list[Candidate], leads: Callable[[Candidate], bool], stage: str, why: str) -> list[Candidate]:
    """Moves those that lead above all others, in the order of their scores."""
    first = {id(candidate) for candidate in candidates if leads(candidate)}
    if not 0 < len(first) < len(candidates):
        return candidates
    best = min(_MOST, max(candidate.score for candidate in candidates if id(candidate) not in first))
    return order([_move(c, best, stage, why) if id(c) in first else _hold(c, best, stage) for c in candidates])


def _move(candidate: Candidate, best: float, stage: str, why: str) -> Candidate:
    return replace(candidate.move(stage, best + (1 - best) * candidate.score, why), leads=True)


def _hold(candidate: Candidate, best: float, stage: str) -> Candidate:
    return candidate.move(stage, min(best, candidate.score), "others lead")
