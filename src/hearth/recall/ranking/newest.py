"""The newest first: candidates that know what was said later about the same thing, put in the order of time."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Literal

from hearth.recall.ranking.candidate import Candidate

STAGE = "newest"
TimeOrder = Literal["newest", "oldest", "found"]
# How much a moved fragment is raised above the other, so that later sorting keeps the order.
STEP = 1e-4


def order_by_time(candidates: Sequence[Candidate], order: TimeOrder) -> list[Candidate]:
    """Statements about one thing with the ``newest`` or the ``oldest`` first, or as they are ``found``."""
    if order == "found":
        return list(candidates)
    found = (_put_older_first if order == "oldest" else _put_newer_first)(candidates)
    for one in candidates:
        found = put_below(found, {added.fragment.id for added in one.added}, one, "adds to")
    return found


def _put_newer_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Moves each later statement right above the best one that it follows; all others keep their order."""
    found = list(candidates)
    older_of: dict[int, list[int]] = {}
    for candidate in candidates:
        for newer in candidate.later:
            older_of.setdefault(newer.fragment.id, []).append(candidate.fragment.id)
    for newer in sorted((c for c in candidates if c.fragment.id in older_of), key=_at):
        found = put_above(found, newer.fragment.id, older_of[newer.fragment.id], STAGE, "said later than {}", STEP)
    return found


def _put_older_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """As ``_put_newer_first``, for a question about the past: earlier statements come right above later ones."""
    found = list(candidates)
    for older in sorted((c for c in candidates if c.later), key=_at, reverse=True):
        later = [newer.fragment.id for newer in older.later]
        found = put_above(found, older.fragment.id, later, STAGE, "said earlier than {}", STEP)
    return found


def put_above(
    candidates: list[Candidate], one: int, others: Sequence[int], stage: str, why: str, step: float = 0.0
) -> list[Candidate]:
    """Moves fragment ``one`` right above the best of ``others``, a ``step`` of the remaining score higher; the rest
    keep their order. ``{}`` in ``why`` stands for the document it now precedes."""
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    own = places[one]
    top = min((places[other] for other in others if other in places), default=own)
    if top >= own:
        return candidates
    first = candidates[top]
    score = first.score + step * (1 - first.score)
    moved = candidates[own].move(stage, max(candidates[own].score, score), why.format(first.document.document.uri))
    return [*candidates[:top], moved, *candidates[top:own], *candidates[own + 1 :]]


def put_below(candidates: list[Candidate], rows: Set[int], first: Candidate, why: str) -> list[Candidate]:
    """Moves the given fragments below ``first``; all others keep their order."""
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    there = places.get(first.fragment.id, -1)
    above = [candidate for candidate in candidates[: max(0, there)] if candidate.fragment.id in rows]
    if not above:
        return candidates
    note = f"{why} {first.document.document.uri}"
    kept = [candidate for candidate in candidates[: there + 1] if candidate.fragment.id not in rows]
    score = candidates[there].score * (1 - STEP)
    moved = [candidate.move(STAGE, min(candidate.score, score), note) for candidate in above]
    return [*kept, *moved, *candidates[there + 1 :]]


def _at(candidate: Candidate) -> tuple[int, int]:
    return (candidate.dated_at, candidate.fragment.start_line)
