"""Since when and until when facts hold: half-open intervals in ms UTC, ``None`` where an end is open or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hearth.model.fact import SINGLE, Fact

_PLACED = frozenset({"deployed_to", "runs_on", "migrated_to"})


def close(facts: Iterable[Fact]) -> list[Fact]:
    """Each with the end that a later one gives it: another value of a predicate that has one value at a time, one that
    names it as gone, or the same with an end. The earliest counts; what is undated ends nothing and is ended by
    nothing."""
    found = list(facts)
    return [replace(fact, valid_to=_end(fact, found)) for fact in found]


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
    later = [one for one in others if one.valid_from is not None and one.valid_from > since]
    ends = [one.valid_from for one in later if _ends(one, fact)]
    # Said again with an end.
    ends += [one.valid_to for one in later if one.valid_to is not None and _same(one, fact)]
    return min([end for end in (*ends, fact.valid_to) if end is not None], default=None)


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
        return newer.object_key == older.object_key and older.predicate not in ("replaced", "caused_by", "resolved_by")
    return False
