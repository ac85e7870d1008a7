"""Answers to several queries made one: the best score of each passage, more where several queries agree on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from hearth.engine.compat.queries import Derived, Kind
from hearth.lazy import dataclass
from hearth.model.query import Hit

WEIGHTS: Mapping[Kind, float] = {"ask": 1.0, "message": 0.7, "code": 0.5, "statement": 0.4}
"""What the score of a hit counts by the kind of its query."""
AGREE = 0.1
MAX_AGREE = 0.2


@dataclass(frozen=True, slots=True)
class MergedHit:
    """A passage with the queries that found it; ``value`` orders it among those of all queries."""

    hit: Hit
    value: float
    queries: tuple[str, ...]


def merged(answers: Iterable[tuple[Derived, Sequence[Hit]]]) -> list[MergedHit]:
    """Best first, and what a question finds before the rest, which counts no more than that. Passages that share a
    line agree, where different queries found them."""
    pool: list[MergedHit] = []
    asked: set[str] = set()
    whole: set[str] = set()
    for query, hits in answers:
        if query.kind in ("ask", "message"):
            (asked if query.kind == "ask" else whole).add(query.text)
        ceiling = 1.0
        for hit in hits:
            # Packing put them in this order for reasons that the score alone does not tell.
            ceiling = min(ceiling, hit.score * WEIGHTS[query.kind])
            pool.append(MergedHit(hit, ceiling, (query.text,)))
    by_document: dict[str, list[MergedHit]] = {}
    for one in pool:
        by_document.setdefault(one.hit.docid, []).append(one)
    agreed = [_agree(one, by_document[one.hit.docid], whole) for one in pool]
    best_first = sorted(agreed, key=lambda one: (-one.value, *_place(one.hit)))
    lead = [one for one in best_first if not asked.isdisjoint(one.queries)]
    rest = [one for one in best_first if asked.isdisjoint(one.queries)]
    return [*lead, *(replace(one, value=min(one.value, lead[-1].value)) for one in rest)] if lead else rest


def _agree(one: MergedHit, others: Sequence[MergedHit], whole: Set[str]) -> MergedHit:
    """The ``whole`` message holds its questions: that it finds what they find says nothing."""
    names = (query for other in others if _shares(one.hit, other.hit) for query in other.queries)
    queries = tuple(dict.fromkeys((*one.queries, *names)))
    more = max(0, len([query for query in queries if query not in whole]) - 1)
    return replace(one, value=one.value * (1 + min(MAX_AGREE, AGREE * more)), queries=queries)


def _shares(a: Hit, b: Hit) -> bool:
    return a.start_line <= b.end_line and b.start_line <= a.end_line


def _place(hit: Hit) -> tuple[str, int, int]:
    return hit.docid, hit.start_line, hit.end_line
