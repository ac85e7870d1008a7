"""Answers to several queries made one: the best score of each passage, more where several queries agree on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hearth.engine.compat.queries import Derived, Kind
from hearth.lazy import dataclass
from hearth.model.query import Hit

WEIGHTS: Mapping[Kind, float] = {"ask": 1.0, "message": 0.7, "code": 0.5, "statement": 0.4}
"""What the score of a hit counts by the kind of its query: what is asked for goes before what is only said."""
AGREE = 0.1
MAX_AGREE = 0.2


@dataclass(frozen=True, slots=True)
class MergedHit:
    """A passage with the queries that found it; ``value`` orders it among those of all queries."""

    hit: Hit
    value: float
    queries: tuple[str, ...]


def merged(answers: Iterable[tuple[Derived, Sequence[Hit]]]) -> list[MergedHit]:
    """Best first. Passages that share a line agree, where different queries found them."""
    pool: list[MergedHit] = []
    for query, hits in answers:
        ceiling = 1.0
        for hit in hits:
            # Packing put them in this order for reasons that the score alone does not tell.
            ceiling = min(ceiling, hit.score * WEIGHTS[query.kind])
            pool.append(MergedHit(hit, ceiling, (query.text,)))
    by_document: dict[str, list[MergedHit]] = {}
    for one in pool:
        by_document.setdefault(one.hit.docid, []).append(one)
    agreed = [_agree(one, by_document[one.hit.docid]) for one in pool]
    return sorted(agreed, key=lambda one: (-one.value, one.hit.docid, one.hit.start_line, one.hit.end_line))


def _agree(one: MergedHit, others: Sequence[MergedHit]) -> MergedHit:
    names = (query for other in others if _shares(one.hit, other.hit) for query in other.queries)
    queries = tuple(dict.fromkeys((*one.queries, *names)))
    return replace(one, value=one.value * (1 + min(MAX_AGREE, AGREE * (len(queries) - 1))), queries=queries)


def _shares(a: Hit, b: Hit) -> bool:
    return a.start_line <= b.end_line and b.start_line <= a.end_line
