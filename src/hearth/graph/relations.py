"""Relations between documents, what several come to, and since when facts hold."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import log, prod
from typing import Any

from hearth.core import subjects
from hearth.core.document import Document
from hearth.core.graph import (
    BACKGROUND,
    BEARING,
    FEEDBACK,
    NAMES,
    NEARNESS,
    SINGLE,
    TYPES,
    UNRELATED,
    VECTORS,
    DocumentRelation,
    EvidencePlace,
    Fact,
    hash_fragment,
)
from hearth.core.journal import Draft, Register
from hearth.language.name_matching import follow, key_of
from hearth.ports import Filter, Reader
from hearth.vault import usage_statistics
from hearth.vault.changes import read_stated_names

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
    stated = [one for one in group if one.stated] or group
    kind = TYPES[stated[0].type]
    best = max(stated, key=_recency if kind.combination == "newest" else _certainty)
    weight = _join(stated) if kind.combination == "evidence" else best.weight
    places = dict.fromkeys(
        place for one in (best, *sorted(stated, key=_certainty, reverse=True)) for place in one.evidence
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
    earlier, now = before.valid_from, fact.valid_from
    if earlier is None or now is None:
        return True
    end = _end(before, others)
    since = (one for one in others if one.valid_from is not None and earlier < one.valid_from < now)
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
    if moment is None or _was_never_true(one):
        return False
    if _is_stated_later(one, fact):
        return moment > since or (_is_guessed(fact) and (moment == one.valid_to or _outlasts(one, since)))
    begin = one.valid_from
    return begin is not None and begin > since and not (_is_guessed(one) and _is_stated_later(fact, one))


def _was_never_true(fact: Fact) -> bool:
    return fact.valid_from is not None and fact.valid_to is not None and fact.valid_to <= fact.valid_from


def _is_guessed(fact: Fact) -> bool:
    """Whether nothing tells since when it holds but when it was said."""
    return fact.said_at is not None and fact.valid_from == fact.said_at


def _is_stated_later(one: Fact, other: Fact) -> bool:
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


LEAST_IDF = 0.3
"""Names below it say nothing of what two documents have in common."""
MOST_HOLDERS = 20
"""A name in more documents than that relates none of them; of one document so many ends are looked at."""
_SHARE = 0.6


def find_idf(holders: int, documents: int) -> float:
    """ln((N + 1) / (df + 0.5)) / ln(N + 1): near 1 for what one of N documents holds, 0 for what all do."""
    return max(0.0, log((documents + 1) / (holders + 0.5)) / log(documents + 1)) if documents else 0.0


def find_sharing(reader: Reader, docids: Sequence[str], within: Filter) -> list[DocumentRelation]:
    """Relations of the type ``entity`` from each of the documents to those that hold names of its own; the weight is
    1 - Π(1 - 0.6 idf) over these."""
    rows = reader.find_rows("docid", docids, within)
    held = reader.entities_in(list(rows))
    if not held:
        return []
    groups = _Groups(read_stated_names(reader).everywhere)
    chosen = {
        docid: list(_choose(groups, {one.key: one.documents for one in held.get(row, ())}))
        for row, docid in rows.items()
    }
    keys = {spelling for names in chosen.values() for name in names for spelling in groups.spellings(name)}
    found = reader.holders_of(sorted(keys), Filter(at=within.at))
    documents = reader.statistics().documents
    ends: dict[str, list[str]] = {}
    for name in {name for names in chosen.values() for name in names}:
        ends[name] = sorted({docid for key in groups.spellings(name) for docid in found.get(key, ())})
    return [relation for docid, names in chosen.items() for relation in _relate(docid, names, ends, documents)]


class _Groups:
    """Keys of names by whom people said they mean."""

    def __init__(self, stated: Mapping[str, str]) -> None:
        self._said = stated
        self._spellings: defaultdict[str, set[str]] = defaultdict(set)
        for key in stated:
            self._spellings[self.of(key)].add(key)

    def of(self, key: str) -> str:
        meant = follow(self._said, key)
        return key if meant is None else key_of(meant)

    def spellings(self, name: str) -> set[str]:
        return {name} | self._spellings.get(name, set())


def _choose(groups: _Groups, counts: Mapping[str, int]) -> Iterator[str]:
    """The rarest names of a document that another holds, too, as long as their holders are few."""
    left = MOST_HOLDERS
    for key, count in sorted(counts.items(), key=lambda pair: (pair[1], pair[0])):
        meant = groups.of(key)
        if count < 2 and groups.spellings(meant) == {key}:
            continue
        left -= count
        if left < 0:
            return
        yield meant


def _relate(
    docid: str, names: Sequence[str], ends: Mapping[str, Sequence[str]], documents: int
) -> Iterator[DocumentRelation]:
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for name in dict.fromkeys(names):
        idf = find_idf(len(ends[name]), documents)
        if idf >= LEAST_IDF:
            for other in ends[name]:
                if other != docid:
                    shares[other].append(_SHARE * idf)
    for other, found in sorted(shares.items()):
        weight = round(1 - prod(1 - share for share in found), 6)
        # In the order of what is related either way.
        source, target = (docid, other) if docid < other else (other, docid)
        yield DocumentRelation(source, "entity", target, weight, origin=NAMES)


FULL_USE = 10
"""Occasions from which on two documents are as near as use brings them."""
_REPLACED = "superseded_by"
_CLOCK = 2**16  # what a hybrid logical clock counts in a millisecond


def draft_relation(source: Document, kind: str, target: Document, origin: str, data: Mapping[str, Any]) -> Draft:
    """The event by which ``origin``, no person, relates one document to another; ``data`` has the weight, why, and the
    places: docid, first and last line, and the hash of the fragment of each."""
    ends = {"type": kind, "target": target.docid, "target_text": target.body_hash}
    payload = {**ends, "origin": origin, "actor": origin, **data}
    return Draft("relate", source.docid, source.path, source.body_hash, payload)


def relations_of(
    reader: Reader,
    docids: Sequence[str],
    types: Sequence[str] = (),
    within: Filter | None = None,
    *,
    near: bool = True,
) -> list[DocumentRelation]:
    """What relates the documents to others and to each other, of these types or of all, by source, type and target;
    only where the filter (what is visible, without one) admits both ends. Not ``near``: without what is derived of
    mere nearness.

    What is stated goes before what is derived, and what was taken back (``unrelate``) is gone. What is said of a former
    name of a document is said of it."""
    moved = usage_statistics.moves(reader)
    names = _names(reader, docids, moved)
    derived = types or (*BEARING, *(NEARNESS if near else ()))
    found = _judge(reader, reader.relations_of(docids, derived))
    found += _latest(_read_statements(reader.find_relations(list(names)), moved))
    if "usage" in derived:
        for docid in docids:
            found += _read_usage(reader, docid, moved)
    if "entity" in derived:
        found += find_sharing(reader, docids, within or Filter())
    ends = {end for one in found for end in (one.source, one.target)}
    there = set(reader.find_rows("docid", sorted(ends), within or Filter()).values())
    wanted = set(docids)
    kept = [
        one
        for one in found
        if one.source in there
        and one.target in there
        and (one.source in wanted or one.target in wanted)
        and (not types or one.type in types)
    ]
    return [_weigh(reader, one) for one in combine(kept)]


def _judge(reader: Reader, derived: Iterable[DocumentRelation]) -> list[DocumentRelation]:
    """How alike documents are, above what any two of the vault are; only what is enough for the settings."""
    found = list(derived)
    background = reader.meta(BACKGROUND) if any(one.origin == VECTORS for one in found) else None
    known = {} if background is None else json.loads(background)
    median = max(-0.1, known["median"]) if known else None
    kept = []
    for one in found:
        if one.origin != VECTORS:
            kept.append(one)
        elif median is not None and median < 1 and (weight := (one.weight - median) / (1 - median)) >= known["least"]:
            _, source, target = one.key
            kept.append(one._replace(source=source, target=target, weight=weight))
    return kept


def _names(reader: Reader, docids: Sequence[str], moved: Mapping[str, Sequence[str]]) -> dict[str, None]:
    """The documents with their former names."""
    own = docids if not moved else (name for docid in docids for name in usage_statistics.former(reader, docid))
    return dict.fromkeys(own)


def _read_statements(
    registers: Iterable[Register], moved: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Any, DocumentRelation]]:
    """What registers say under the present names of the documents, with their stamps."""
    for one in registers:
        relation = _read_supersession(one) if one.field == _REPLACED else _read_statement(one)
        if relation is None:
            continue
        for source in usage_statistics.present(relation.source, moved):
            for target in usage_statistics.present(relation.target, moved):
                yield one.stamp, relation._replace(source=source, target=target)


def _latest(stated: Iterable[tuple[Any, DocumentRelation]]) -> list[DocumentRelation]:
    """The last word on each pair, whichever end it was said of, on whichever machine."""
    last: dict[tuple[str, str, str], tuple[Any, DocumentRelation]] = {}
    for stamp, one in stated:
        known = last.get(one.key)
        if known is None or stamp > known[0]:
            last[one.key] = stamp, one
    return [one for _, one in last.values()]


def _read_supersession(register: Register) -> DocumentRelation | None:
    if not isinstance(register.value, str):
        return None
    return DocumentRelation(
        register.value, "supersedes", register.subject, at=register.stamp[0] // _CLOCK, origin="person"
    )


def _read_statement(register: Register) -> DocumentRelation | None:
    """``None`` where it says nothing (any more), or names no document."""
    kind, target = subjects.read_relation(register.field)
    if kind not in TYPES or register.value is None or (isinstance(register.value, dict) and register.value.get("gone")):
        return None
    if not isinstance(register.value, dict):
        return DocumentRelation(register.subject, kind, target, origin=UNRELATED)
    value, said_at = register.value, register.stamp[0] // _CLOCK
    weight = value.get("weight", value.get("confidence", 1.0))
    by = "judge" if "by" in value else "program"
    return DocumentRelation(
        register.subject,
        kind,
        target,
        min(1.0, max(0.0, float(weight))) if isinstance(weight, int | float) else 1.0,
        _instant(value.get("at"), said_at),
        _instant(value.get("until"), None),
        FEEDBACK if kind == "usage" else str(value.get("origin", by)),
        tuple(_places(value.get("places"))),
    )


def _instant(value: Any, otherwise: int | None) -> int | None:
    return value if type(value) is int else otherwise


def _places(rows: Any) -> Iterator[EvidencePlace]:
    """Rows of docid, first and last line, and the hash of what stood there; others are passed over."""
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(docid), int(start), int(end), str(text)]:
                yield EvidencePlace(docid, start, end, text)


def _read_usage(reader: Reader, docid: str, moved: Mapping[str, Sequence[str]]) -> list[DocumentRelation]:
    found = usage_statistics.companions(reader, docid, moved)
    return [
        DocumentRelation(docid, "usage", other, min(1.0, count / FULL_USE), origin=FEEDBACK)
        for other, count in found.items()
    ]


def _weigh(reader: Reader, one: DocumentRelation) -> DocumentRelation:
    """What somebody said is half as sure once nothing of what it was said from is left."""
    if one.stated and one.evidence and not any(_is_there(reader, place) for place in one.evidence):
        return one._replace(weight=one.weight / 2)
    return one


def _is_there(reader: Reader, place: EvidencePlace) -> bool:
    stored = reader.document(place.docid)
    if stored is None or stored.state.forgotten:
        return False
    return not place.hash or any(hash_fragment(part.text) == place.hash for part in reader.fragments_of(stored.id))
