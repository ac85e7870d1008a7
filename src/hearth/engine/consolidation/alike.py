"""Which memories may say the same: found by the rare words that they must share, so that not all are compared with all.

Two sets of words that share half of all their words share one of their rarest, in one order for all sets (Bayardo, Ma &
Srikant, "Scaling Up All Pairs Similarity Search", 2007: prefix filtering).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
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


def pairs(memories: Sequence[HeldMemory], since: int) -> Iterator[tuple[HeldMemory, HeldMemory, float]]:
    """Those of one type, project and subject that say the same, the older one first, with how sure that is. At least
    one of the two is from ``since`` (ms UTC) on."""
    shared: dict[str, str] = {}
    # One copy of each word for all memories, and what is compared of a text made once.
    words = [frozenset(shared.setdefault(word, word) for word in memory.words) for memory in memories]
    forms = cache(_read_forms)
    counts = Counter(word for each in words for word in each)
    known: dict[tuple[str, str | None, str], list[int]] = defaultdict(list)
    order = sorted(range(len(memories)), key=lambda at: (memories[at].at, memories[at].docid))
    for at in order:
        memory = memories[at]
        rare = _rarest(words[at], counts)
        keys = [(memory.content_type, memory.project, word) for word in rare]
        found = dict.fromkeys(other for key in keys for other in reversed(known[key]))
        if memory.at >= since:
            near = (memories[other] for other in found if _near(words[at], words[other]))
            yield from _same(memory, islice(near, _MOST_COMPARED), forms)
        for key in keys:
            known[key].append(at)
            del known[key][:-_MOST_WITH_WORD]


def _rarest(words: frozenset[str], counts: Counter[str]) -> list[str]:
    ordered = sorted(words, key=lambda word: (counts[word], word))
    return ordered[: len(ordered) - -(-len(ordered) // 2) + 1] if len(ordered) >= _LEAST_WORDS else []


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    both = len(one & other)
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
