"""Fusion of calibrated scores, the blend with a reranker, and what leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import mul

from hearth.recall.ranking.stage import Candidate, order
from hearth.recall.ranking.weights import RERANK


def fuse(scores: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean of the lanes' scores, in the order of ``weights``: 0 for a lane that missed this candidate,
    weight 0 for one that did not answer."""
    total = sum(weights)
    return sum(map(mul, weights, scores)) / total if total > 0 else 0.0


_STAGE = "rerank"


def apply_answers(candidates: Sequence[Candidate], answers: Sequence[float]) -> list[Candidate]:
    """``answers`` holds the probability in [0, 1] that a candidate answers, for the first so many; the others were not
    read and come after those. What lowered a score before (an assistant's words) lowers the new one by as much."""
    read = [_blend(candidate, answer) for candidate, answer in zip(candidates, answers, strict=False)]
    unread = candidates[len(answers) :]
    if not read or not unread:
        return order([*read, *unread])
    lowest = min(candidate.score for candidate in read)
    share = min(1.0, lowest / max(max(candidate.score for candidate in unread), 1e-9))
    why = f"not read: beyond the first {len(answers)}"
    after = [
        replace(candidate.move(_STAGE, candidate.score * share, why), reread=candidate.fused * share)
        for candidate in unread
    ]
    return [*order(read), *order(after)]


def _blend(candidate: Candidate, answer: float) -> Candidate:
    relevance = RERANK.fused * candidate.fused + (1 - RERANK.fused) * answer
    lowered = candidate.score / candidate.fused if candidate.fused > 0 else 1.0
    moved = candidate.move(_STAGE, min(1.0, relevance * lowered), f"read as an answer with {answer:.2f}")
    return replace(moved, reread=relevance)


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
