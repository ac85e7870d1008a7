"""The newest first: candidates that know what was said later about the same thing, put in the order of time."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.ranking.stage import Candidate

STAGE = "newest"


def order_by_time(candidates: Sequence[Candidate], *, former: bool) -> list[Candidate]:
    """``former`` where what was so before is asked for."""
    found = (_put_older_first if former else _put_newer_first)(candidates)
    for one in candidates:
        for added in one.added:
            found = _put_below(found, added.fragment.id, one.fragment.id)
    return found


def _put_newer_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """What was said later stands right above the best of what it follows; all others stay in their order."""
    found = list(candidates)
    older_of: dict[int, list[int]] = {}
    for candidate in candidates:
        for newer in candidate.later:
            older_of.setdefault(newer.fragment.id, []).append(candidate.fragment.id)
    for newer in sorted((c for c in candidates if c.fragment.id in older_of), key=_at):
        found = _put_above(found, newer.fragment.id, older_of[newer.fragment.id], "said later than")
    return found


def _put_older_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same for a question about the past: what was said earlier stands right above what followed it."""
    found = list(candidates)
    for older in sorted((c for c in candidates if c.later), key=_at, reverse=True):
        later = [newer.fragment.id for newer in older.later]
        found = _put_above(found, older.fragment.id, later, "said earlier than")
    return found


def _put_above(candidates: list[Candidate], one: int, others: Sequence[int], why: str) -> list[Candidate]:
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    own = places[one]
    top = min((places[other] for other in others if other in places), default=own)
    if top >= own:
        return candidates
    first = candidates[top]
    moved = candidates[own].move(STAGE, max(candidates[own].score, first.score), f"{why} {first.document.document.uri}")
    return [*candidates[:top], moved, *candidates[top:own], *candidates[own + 1 :]]


def _put_below(candidates: list[Candidate], one: int, other: int) -> list[Candidate]:
    """What adds to a statement stands no higher than that."""
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    own, there = places.get(one, -1), places.get(other, -1)
    if own < 0 or own > there:
        return candidates
    first = candidates[there]
    moved = candidates[own].move(STAGE, first.score, f"adds to {first.document.document.uri}")
    return [*candidates[:own], *candidates[own + 1 : there + 1], moved, *candidates[there + 1 :]]


def _at(candidate: Candidate) -> tuple[int, int]:
    return (candidate.document.document.dated_at or 0, candidate.fragment.start_line)
