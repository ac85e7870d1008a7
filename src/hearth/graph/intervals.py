"""Since when and until when facts hold: half-open intervals in ms UTC, ``None`` where an end is open or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hearth.model.fact import SINGLE, Fact

_PLACED = frozenset({"deployed_to", "runs_on", "migrated_to"})


def close(facts: Iterable[Fact]) -> list[Fact]:
    """Each with the end that a later one gives it: another value of a predicate that has one value at a time, or one
    that names it as gone. The earliest end counts; what is undated ends nothing and is ended by nothing."""
    found = list(facts)
    return [replace(fact, valid_to=_end(fact, found)) for fact in found]


def _end(fact: Fact, others: Sequence[Fact]) -> int | None:
    since = fact.valid_from
    if since is None:
        return fact.valid_to
    ends = [
        one.valid_from for one in others if one.valid_from is not None and one.valid_from > since and _ends(one, fact)
    ]
    return min([*ends, *([] if fact.valid_to is None else [fact.valid_to])], default=None)


def _ends(newer: Fact, older: Fact) -> bool:
    same = newer.subject_key == older.subject_key
    if newer.predicate == older.predicate and newer.predicate in SINGLE:
        return same and newer.object_key != older.object_key
    if newer.predicate == "migrated_to":
        return same and older.predicate in _PLACED and older.object_key != newer.object_key
    if newer.predicate == "replaced":
        return newer.object_key == older.object_key and older.predicate not in ("replaced", "caused_by", "resolved_by")
    return False
