"""Diversity: say different things, and say the same thing once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hearth.model.trust import TRUST
from hearth.ranking.stage import Candidate, Stage, order
from hearth.ranking.weights import DIVERSITY
from hearth.text.terms import count_terms

# Texts beyond this are compared by their beginning: windows are a fifth of it.
_COMPARED_CHARS = 4_000
# Only this many candidates per hit compete by diversity: further down relevance never catches up.
_POOL_PER_HIT = 2

# Of near copies of a note of 30 words, two words may differ; shorter texts must be equal.
_NEAR = 0.85
_LEAST_WORDS = 8
# Further down nothing is shown.
_NEAREST = 60

Bag = Callable[[Candidate], frozenset[Any]]


def collapse(candidates: list[Candidate]) -> list[Candidate]:
    """One candidate per normalised text, overlapping windows left alone; it names the others' places.

    What somebody else wrote gives its place to the same or nearly the same text of more trust: a copy of a person's
    note must not stand for it, with whatever was put into it.
    """
    kept: dict[str, Candidate] = {}
    for candidate in order(candidates):
        key = " ".join(candidate.fragment.text.casefold().split())
        first = kept.get(key)
        if first is None:
            kept[key] = candidate
        elif first.document.id != candidate.document.id:
            kept[key] = _join(first, candidate)
    return _drop_less_trusted(kept)


def _join(first: Candidate, other: Candidate) -> Candidate:
    """One for both, in the place of ``first``: the more trusted, or ``first``."""
    shown, hidden = (other, first) if _rank(other) < _rank(first) else (first, other)
    place = f"{hidden.document.document.uri}#L{hidden.fragment.start_line}"
    return replace(shown, score=first.score, fused=first.fused, reread=first.reread, also_in=(*first.also_in, place))


def _drop_less_trusted(kept: dict[str, Candidate]) -> list[Candidate]:
    """Without what nearly repeats a text of more trust."""
    pool: list[Candidate | None] = list(kept.values())
    if len({_rank(candidate) for candidate in kept.values()}) < 2:
        return list(kept.values())
    words = [frozenset(key.split()) for key, _ in zip(kept, range(_NEAREST), strict=False)]
    for at, own in enumerate(words):
        candidate = pool[at]
        if candidate is None or len(own) < _LEAST_WORDS:
            continue
        near = [(_rank(other), i) for i, other in enumerate(pool[: len(words)]) if other and _is_near(words[i], own)]
        best, place = min(near)
        if best < _rank(candidate):
            first, last = sorted((at, place))
            pool[first], pool[last] = _join(pool[first], pool[last]), None  # type: ignore[arg-type]
    return [candidate for candidate in pool if candidate is not None]


def _is_near(left: frozenset[str], right: frozenset[str]) -> bool:
    alike = min(len(left), len(right)) >= _NEAR * max(len(left), len(right))
    return alike and _jaccard(left, right) >= _NEAR


def _rank(candidate: Candidate) -> int:
    return TRUST.index(candidate.document.document.trust)


def words_of(candidate: Candidate) -> frozenset[str]:
    """The index terms of a candidate's text."""
    return frozenset(count_terms(candidate.fragment.text[:_COMPARED_CHARS], candidate.document.document.language))


def apply_diversity(weight: float | None, limit: int, bag: Bag = words_of) -> Stage:
    """Maximal marginal relevance (Carbonell & Goldstein 1998): ``weight`` for relevance, the rest against similarity
    by shared terms (Jaccard), which ``bag`` gives and which counts less between documents. Beside another passage of
    its document, a passage is worth less, the more of that it is. A weight of ``None`` only collapses equal texts.
    Order may change, scores do not, and what leads stays before the rest."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        pool = collapse(candidates)
        if weight is None or len(pool) < 3:
            return pool
        first = [candidate for candidate in pool if candidate.leads]
        rest = [candidate for candidate in pool if not candidate.leads]
        return [one for group in (first, rest) if group for one in _mmr(group, weight, limit, bag)]

    return stage


def _mmr(pool: list[Candidate], weight: float, limit: int, bag: Bag) -> list[Candidate]:
    pool, rest = pool[: _POOL_PER_HIT * limit], pool[_POOL_PER_HIT * limit :]
    bags = [bag(candidate) for candidate in pool]
    top = pool[0].score or 1.0
    remaining = list(range(len(pool)))
    worth = [candidate.score / top for candidate in pool]
    nearest = [0.0] * len(pool)
    chosen: list[int] = []
    told: set[int] = set()
    while remaining and len(chosen) < limit:
        best = max(remaining, key=lambda i: (weight * worth[i] - (1 - weight) * nearest[i], -i))
        chosen.append(best)
        remaining.remove(best)
        document = pool[best].document.id
        for i in remaining:
            beside = pool[i].document.id == document
            alike = _jaccard(bags[i], bags[best]) * (1.0 if beside else DIVERSITY.elsewhere)
            nearest[i] = max(nearest[i], alike)
            if beside and document not in told:
                worth[i] *= 1 - DIVERSITY.document * _get_share(pool[i])
        told.add(document)
    return [pool[i] for i in chosen] + [pool[i] for i in remaining] + rest


def _get_share(candidate: Candidate) -> float:
    """How much of its document a passage is: what is half of a note says much of what the other half is about, what is
    a hundredth of a book says little of the rest. Nothing in a conversation, whose turns each tell their own."""
    fragment = candidate.fragment
    if fragment.kind == "turn":
        return 0.0
    return min(1.0, (fragment.end_byte - fragment.start_byte) / max(1, candidate.document.document.size))


def _jaccard(left: frozenset[Any], right: frozenset[Any]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0
