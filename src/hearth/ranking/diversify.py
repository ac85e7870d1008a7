"""Diversity: say different things, and say the same thing once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hearth.ranking.stage import Candidate, Stage, order
from hearth.text.terms import count_terms

# Texts beyond this are compared by their beginning: windows are a fifth of it.
_COMPARED_CHARS = 4_000
# Only this many candidates per hit compete by diversity: further down relevance never catches up.
_POOL_PER_HIT = 2

Bag = Callable[[Candidate], frozenset[Any]]


def collapse(candidates: list[Candidate]) -> list[Candidate]:
    """One candidate per normalised text; the best names the others' places, overlapping windows are left alone."""
    kept: dict[str, Candidate] = {}
    for candidate in order(candidates):
        key = " ".join(candidate.fragment.text.casefold().split())
        first = kept.get(key)
        if first is None:
            kept[key] = candidate
        elif first.document.id != candidate.document.id:
            place = f"{candidate.document.document.uri}#L{candidate.fragment.start_line}"
            kept[key] = replace(first, also_in=(*first.also_in, place))
    return list(kept.values())


def words_of(candidate: Candidate) -> frozenset[str]:
    """The index terms of a candidate's text."""
    return frozenset(count_terms(candidate.fragment.text[:_COMPARED_CHARS], candidate.document.document.language))


def apply_diversity(weight: float | None, limit: int, bag: Bag = words_of) -> Stage:
    """Maximal marginal relevance (Carbonell & Goldstein 1998): ``weight`` for relevance, the rest against similarity
    by shared terms (Jaccard), which ``bag`` gives. A weight of ``None`` only collapses equal texts. Order may change,
    scores do not."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        pool = collapse(candidates)
        if weight is None or len(pool) < 3:
            return pool
        return _mmr(pool, weight, limit, bag)

    return stage


def _mmr(pool: list[Candidate], weight: float, limit: int, bag: Bag) -> list[Candidate]:
    pool, rest = pool[: _POOL_PER_HIT * limit], pool[_POOL_PER_HIT * limit :]
    bags = [bag(candidate) for candidate in pool]
    top = pool[0].score or 1.0
    remaining = list(range(len(pool)))
    nearest = [0.0] * len(pool)
    chosen: list[int] = []
    while remaining and len(chosen) < limit:
        best = max(remaining, key=lambda i: (weight * pool[i].score / top - (1 - weight) * nearest[i], -i))
        chosen.append(best)
        remaining.remove(best)
        for i in remaining:
            nearest[i] = max(nearest[i], _jaccard(bags[i], bags[best]))
    return [pool[i] for i in chosen] + [pool[i] for i in remaining] + rest


def _jaccard(left: frozenset[Any], right: frozenset[Any]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0
