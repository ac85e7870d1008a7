"""Documents that name the same, computed when relations are read: of names in few documents, the rarest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log, prod

from hearth.core.graph import NAMES, DocumentRelation
from hearth.graph.entities.aliases import read_said
from hearth.graph.entities.resolve import follow, key_of
from hearth.ports import Filter, Reader

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
    rows = reader.admitted(docids, within)
    held = reader.names_in(list(rows.values()))
    if not held:
        return []
    groups = _Groups(read_said(reader).everywhere)
    chosen = {docid: list(_choose(groups, held.get(row, {}))) for docid, row in rows.items()}
    keys = {spelling for names in chosen.values() for name in names for spelling in groups.spellings(name)}
    found = reader.holders_of(sorted(keys), Filter(at=within.at))
    documents = reader.statistics().documents
    ends: dict[str, list[str]] = {}
    for name in {name for names in chosen.values() for name in names}:
        ends[name] = sorted({docid for key in groups.spellings(name) for docid in found.get(key, ())})
    return [relation for docid, names in chosen.items() for relation in _relate(docid, names, ends, documents)]


class _Groups:
    """Keys of names by whom people said they mean."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self._said = said
        self._spellings: defaultdict[str, set[str]] = defaultdict(set)
        for key in said:
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
