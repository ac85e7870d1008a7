"""Which memories may say the same: found by the rare words that they must share, so that not all are compared with all.

Two sets of words that share half of all their words share one of their rarest, in one order for all sets (Bayardo, Ma &
Srikant, "Scaling Up All Pairs Similarity Search", 2007: prefix filtering).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from hearth.engine.consolidation.held import HeldMemory
from hearth.extract.truth.judge import judge
from hearth.model.truth.judgement import Relation, Said
from hearth.text.similarity import near_identical, protected

SHARED = 0.5
"""The share of all their words that two have to have in common to be compared."""
JUDGED = 0.9
_MOST_WITH_WORD = 64
_MOST_COMPARED = 24
_LEAST_WORDS = 2


def pairs(memories: Sequence[HeldMemory], since: int) -> Iterator[tuple[HeldMemory, HeldMemory, float]]:
    """Those of one type, project and subject that say the same, the older one first, with how sure that is. At least
    one of the two is from ``since`` (ms UTC) on."""
    words = [memory.words for memory in memories]
    counts = Counter(word for each in words for word in each)
    known: dict[tuple[str, str | None, str], list[int]] = defaultdict(list)
    order = sorted(range(len(memories)), key=lambda at: (memories[at].at, memories[at].docid))
    for at in order:
        memory = memories[at]
        rare = _rarest(words[at], counts)
        keys = [(memory.content_type, memory.project, word) for word in rare]
        found = dict.fromkeys(other for key in keys for other in reversed(known[key]))
        if memory.at >= since:
            yield from _same(memory, [memories[other] for other in found if _near(words[at], words[other])])
        for key in keys:
            known[key].append(at)
            del known[key][:-_MOST_WITH_WORD]


def _rarest(words: frozenset[str], counts: Counter[str]) -> list[str]:
    ordered = sorted(words, key=lambda word: (counts[word], word))
    return ordered[: len(ordered) - -(-len(ordered) // 2) + 1] if len(ordered) >= _LEAST_WORDS else []


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    both = len(one & other)
    return both >= SHARED * (len(one) + len(other) - both)


def _same(memory: HeldMemory, others: Sequence[HeldMemory]) -> Iterator[tuple[HeldMemory, HeldMemory, float]]:
    for other in others[:_MOST_COMPARED]:
        if memory.subject and other.subject and memory.subject.casefold() != other.subject.casefold():
            continue
        sure = how_sure(other, memory)
        if sure:
            yield other, memory, sure


def how_sure(older: HeldMemory, newer: HeldMemory) -> float:
    """1 where nothing is lost by keeping one of the two, less where the judge says so, 0 where they are two things."""
    if near_identical(older.text, newer.text):
        return 1.0
    if protected(older.text) != protected(newer.text):
        return 0.0
    verdict = judge(
        Said(older.text, older.content_type, older.subject, older.at),
        Said(newer.text, newer.content_type, newer.subject, newer.at),
    )
    return verdict.confidence if verdict.relation is Relation.SAME and verdict.confidence >= JUDGED else 0.0
