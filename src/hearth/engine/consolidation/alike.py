"""Which memories may say the same: found by the rare words that they must share, so that not all are compared with all.

Two sets of words that share half of all their words share one of their rarest, in one order for all sets (Bayardo, Ma &
Srikant, "Scaling Up All Pairs Similarity Search", 2007: prefix filtering).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from hearth.engine.consolidation.held import HeldMemory
from hearth.extract.truth.judge import judge
from hearth.model.truth.judgement import Relation, Said
from hearth.text.similarity import near_identical, normalised, protected

SHARED = 0.5
"""The share of all their words that two have to have in common to be compared."""
JUDGED = 0.9
_MOST_WITH_WORD = 64
_MOST_COMPARED = 24
_LEAST_WORDS = 2
_FORMS = 4_096
"""Texts of which it is kept what is compared of them."""


def pairs(memories: Sequence[HeldMemory], since: int) -> Iterator[tuple[HeldMemory, HeldMemory, float]]:
    """Those of one type, project and subject that say the same, the older one first, with how sure that is. At least
    one of the two is from ``since`` (ms UTC) on."""
    known_words: dict[str, int] = {}
    words = _WordLists()
    for memory in memories:
        words.append({known_words.setdefault(word, len(known_words)) for word in memory.words})
    forms = lru_cache(_FORMS)(_read_forms)
    order_of = _order_by_rarity(words.every, known_words)
    groups: dict[tuple[str, str | None], dict[int, tuple[int, ...]]] = defaultdict(dict)
    order = sorted(range(len(memories)), key=lambda at: (memories[at].at, memories[at].docid))
    for at in order:
        memory = memories[at]
        rare = _rarest(words[at], order_of)
        own = frozenset(words[at])
        known = groups[memory.content_type, memory.project]
        found = dict.fromkeys(other for word in rare for other in reversed(known.get(word, ())))
        if memory.at >= since:
            near = (memories[other] for other in found if _near(own, words[other]))
            yield from _same(memory, islice(near, _MOST_COMPARED), forms)
        for word in rare:
            known[word] = (*known.get(word, ())[1 - _MOST_WITH_WORD :], at)


class _WordLists:
    """Words of memories as numbers, in one array: sets of texts take twenty times the room."""

    def __init__(self) -> None:
        self.every = array("I")
        self._ends = array("I", [0])

    def append(self, words: Iterable[int]) -> None:
        self.every.extend(words)
        self._ends.append(len(self.every))

    def __getitem__(self, at: int) -> array[int]:
        return self.every[self._ends[at] : self._ends[at + 1]]


def _order_by_rarity(words: Iterable[int], known: Mapping[str, int]) -> array[int]:
    """The place of each word, by its number, among all: the rarest comes first."""
    counts = array("I", bytes(4 * len(known)))
    for word in words:
        counts[word] += 1
    places = array("I", bytes(4 * len(known)))
    for place, (_, number) in enumerate(sorted(known.items(), key=lambda item: (counts[item[1]], item[0]))):
        places[number] = place
    return places


def _rarest(words: array[int], order_of: array[int]) -> list[int]:
    ordered = sorted(words, key=order_of.__getitem__)
    return ordered[: len(ordered) - -(-len(ordered) // 2) + 1] if len(ordered) >= _LEAST_WORDS else []


def _near(one: frozenset[int], other: array[int]) -> bool:
    both = len(one.intersection(other))
    return both >= SHARED * (len(one) + len(other) - both)


class _Forms(NamedTuple):
    """A text normalised, and what may not differ: names, identifiers, numbers and negations, in order."""

    normalised: str
    protected: tuple[str, ...]


def _read_forms(text: str) -> _Forms:
    return _Forms(normalised(text), tuple(protected(text)))


def _same(
    memory: HeldMemory, others: Iterable[HeldMemory], forms: Callable[[str], _Forms]
) -> Iterator[tuple[HeldMemory, HeldMemory, float]]:
    for other in others:
        if memory.subject and other.subject and memory.subject.casefold() != other.subject.casefold():
            continue
        sure = _how_sure(other, memory, forms)
        if sure:
            yield other, memory, sure


def _how_sure(older: HeldMemory, newer: HeldMemory, forms: Callable[[str], _Forms]) -> float:
    """1 where nothing is lost by keeping one of the two, less where the judge says so, 0 where they are two things."""
    one, other = forms(older.text), forms(newer.text)
    if one.normalised == other.normalised:
        return 1.0
    if one.protected != other.protected:
        return 0.0
    if near_identical(older.text, newer.text):
        return 1.0
    verdict = judge(
        Said(older.text, older.content_type, older.subject, older.at),
        Said(newer.text, newer.content_type, newer.subject, newer.at),
    )
    return verdict.confidence if verdict.relation is Relation.SAME and verdict.confidence >= JUDGED else 0.0
