"""What several relations between the same two documents come to. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hearth.model.graph.relation import TYPES, UNRELATED, DocumentRelation, EvidencePlace

MOST_EVIDENCE = 8
"""Places that one relation names."""


def combine(relations: Iterable[DocumentRelation]) -> list[DocumentRelation]:
    """One relation for each type and pair of documents, by source, type and target. What is stated goes before what is
    derived; what was taken back (``UNRELATED``) takes both along. Types that are not in ``TYPES`` are left out."""
    groups: dict[tuple[str, str, str], list[DocumentRelation]] = {}
    for one in relations:
        if one.type in TYPES and one.source != one.target:
            groups.setdefault(one.key, []).append(one)
    found: list[DocumentRelation] = []
    for key, group in groups.items():
        first = group[0]
        if len(group) == 1 and key[1] == first.source and len(first.evidence) <= MOST_EVIDENCE:
            if first.origin != UNRELATED:
                found.append(first)
        elif all(one.origin != UNRELATED for one in group):
            found.append(_merge(group))
    return sorted(found, key=lambda one: (one.source, one.type, one.target))


def _merge(group: list[DocumentRelation]) -> DocumentRelation:
    said = [one for one in group if one.stated] or group
    kind = TYPES[said[0].type]
    best = max(said, key=_recency if kind.combination == "newest" else _certainty)
    weight = _join(said) if kind.combination == "evidence" else best.weight
    places = dict.fromkeys(
        place for one in (best, *sorted(said, key=_certainty, reverse=True)) for place in one.evidence
    )
    _, source, target = best.key
    if not kind.symmetric:
        source, target = best.source, best.target
    return best._replace(source=source, target=target, weight=weight, evidence=tuple(places)[:MOST_EVIDENCE])


def _join(relations: Iterable[DocumentRelation]) -> float:
    """1 - Π(1 - w) over what each piece of evidence says at most: the same place read by two rules counts once."""
    weights: dict[tuple[EvidencePlace, ...] | str, float] = {}
    for one in relations:
        place = one.evidence or one.origin
        weights[place] = max(one.weight, weights.get(place, 0.0))
    if len(weights) == 1:
        return max(weights.values())
    left = 1.0
    for weight in weights.values():
        left *= 1.0 - weight
    return 1.0 - left


def _certainty(one: DocumentRelation) -> tuple[Any, ...]:
    """The weightiest, then the newest, then what holds longest; all else only so that no order of arrival decides."""
    at, until = float("-inf") if one.at is None else one.at, float("inf") if one.until is None else one.until
    places = tuple((place.docid, place.start, place.end, place.hash) for place in one.evidence)
    return one.weight, at, until, one.origin, one.source, places


def _recency(one: DocumentRelation) -> tuple[Any, ...]:
    weight, at, *rest = _certainty(one)
    return at, weight, *rest
