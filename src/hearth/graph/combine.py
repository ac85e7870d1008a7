"""What several relations between two documents come to, and since when facts hold. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hearth.core.graph import SINGLE, TYPES, UNRELATED, DocumentRelation, EvidencePlace, Fact

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


_PLACED = frozenset({"deployed_to", "runs_on", "migrated_to"})
# What is so for good.
_HAPPENED = frozenset({"replaced", "caused_by", "resolved_by"})


def close(facts: Iterable[Fact]) -> list[Fact]:
    """Each with the end that a later one gives it: another value of a predicate that has one value at a time, one that
    names it as gone, or the same with an end. The earliest counts; what is undated ends nothing and is ended by
    nothing, and what never held ends nothing. Where nobody said since when something held, what was said after it may
    end it before that; then nobody knows since when it held."""
    found = list(facts)
    return [_close(fact, _end(fact, found)) for fact in found]


def _close(fact: Fact, end: int | None) -> Fact:
    unknown = end is not None and end != fact.valid_to and fact.valid_from is not None and end <= fact.valid_from
    return replace(fact, valid_from=None if unknown else fact.valid_from, valid_to=end)


def is_retold(fact: Fact, before: Fact, others: Sequence[Fact]) -> bool:
    """Whether a fact says again what one ``before`` it says: that still held, and nothing came since that it ends."""
    held, now = before.valid_from, fact.valid_from
    if held is None or now is None:
        return True
    end = _end(before, others)
    since = (one for one in others if one.valid_from is not None and held < one.valid_from < now)
    return (end is None or end > now) and not any(_ends(fact, one) for one in since)


def _end(fact: Fact, others: Sequence[Fact]) -> int | None:
    since = fact.valid_from
    if since is None:
        return fact.valid_to
    ends = [one.valid_from for one in others if _ends(one, fact) and _is_later(one, fact, since, one.valid_from)]
    # Said again with an end.
    ends += [one.valid_to for one in others if _same(one, fact) and _is_later(one, fact, since, one.valid_to)]
    return min([end for end in (*ends, fact.valid_to) if end is not None], default=None)


def _is_later(one: Fact, fact: Fact, since: int, moment: int | None) -> bool:
    """Whether a moment that one names may end a fact that held ``since`` then."""
    if moment is None or _never_held(one):
        return False
    if _is_said_after(one, fact):
        return moment > since or (_is_guessed(fact) and (moment == one.valid_to or _outlasts(one, since)))
    begin = one.valid_from
    return begin is not None and begin > since and not (_is_guessed(one) and _is_said_after(fact, one))


def _never_held(fact: Fact) -> bool:
    return fact.valid_from is not None and fact.valid_to is not None and fact.valid_to <= fact.valid_from


def _is_guessed(fact: Fact) -> bool:
    """Whether nothing tells since when it holds but when it was said."""
    return fact.said_at is not None and fact.valid_from == fact.said_at


def _is_said_after(one: Fact, other: Fact) -> bool:
    return one.said_at is not None and other.said_at is not None and one.said_at > other.said_at


def _outlasts(fact: Fact, moment: int) -> bool:
    return fact.valid_to is None or fact.valid_to > moment


def _same(one: Fact, other: Fact) -> bool:
    keys = one.subject_key, one.predicate, one.object_key
    return keys == (other.subject_key, other.predicate, other.object_key)


def _ends(newer: Fact, older: Fact) -> bool:
    same = newer.subject_key == older.subject_key
    if newer.predicate == older.predicate and newer.predicate in SINGLE:
        return same and newer.object_key != older.object_key
    if newer.predicate == "migrated_to":
        return same and older.predicate in _PLACED and older.object_key != newer.object_key
    if newer.predicate == "replaced":
        meant = newer.within_key in ("", older.subject_key)
        return meant and newer.object_key == older.object_key and older.predicate not in _HAPPENED
    return False
