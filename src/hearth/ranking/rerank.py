"""The blend: what a reranker read moves the fused score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hearth.ranking.stage import Candidate, order
from hearth.ranking.weights import RERANK

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
