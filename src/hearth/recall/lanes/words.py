"""The keyword, substring, phrase and vector lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hearth.core.query import LaneScore
from hearth.recall.candidates import Context
from hearth.recall.interfaces import Lane, Passages, Votes
from hearth.recall.lexicon import Lexicon, match
from hearth.recall.ranking.bm25 import Relevance, Weighted, relevance
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import FUSION
from hearth.text.similarity import flatten


class KeywordLane(Lane):
    """One bounded match finds the candidates of both the keyword and the substring lane."""

    name = "keyword"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._weight = FUSION.keyword if context.question.words else 0.0

    def find(self) -> Iterable[int]:
        return match(self._context.question, self._context.lexicon, self._context.reader)

    def judge(self, passages: Passages) -> Votes | None:
        found = _weigh(passages, self._context.lexicon.words, self._context.lexicon.mass)
        return _vote([each.score for each in found], self._weight, [each.raw for each in found], len(passages))


class SubstringLane(Lane):
    name = "substring"

    def __init__(self, context: Context) -> None:
        self._lexicon = context.lexicon
        self._weight = FUSION.substring * _share(context.lexicon) if context.question.tokens else 0.0

    def judge(self, passages: Passages) -> Votes | None:
        found = _weigh(passages, self._lexicon.tokens, self._lexicon.token_mass)
        return _vote([each.coverage for each in found], self._weight, [each.raw for each in found], len(passages))


def _weigh(passages: Passages, words: Sequence[Weighted], mass: float) -> list[Relevance]:
    columns = zip(passages.occurrences, passages.lengths, strict=True)
    return [relevance(occurrences, length, words, mass) for occurrences, length in columns] if words else []


def _vote(scores: list[float], weight: float, raw: Sequence[float | None], count: int) -> Votes | None:
    """A lane without ``scores`` votes 0 if it has a weight, and does not vote otherwise."""
    if not scores and not weight:
        return None
    return Votes(scores or [0.0] * count, [weight] * count, raw or [None] * count)


def _share(lexicon: Lexicon) -> float:
    """The share of the question's weight that is in whole tokens."""
    return lexicon.token_mass / max(lexicon.mass, lexicon.token_mass, 1e-9)


class PhraseLane(Lane):
    """Finds nothing by itself and excludes nothing."""

    name = "phrase"

    def __init__(self, context: Context) -> None:
        self._quoted = [flatten(phrase) for phrase in context.question.quoted]

    def boost(self, candidate: Candidate) -> Candidate:
        if not self._quoted:
            return candidate
        text = flatten(candidate.fragment.text)
        held = sum(phrase in text for phrase in self._quoted) / len(self._quoted)
        if not held:
            return candidate
        raised = candidate.score + FUSION.phrase * held * (1 - candidate.score)
        return replace(
            candidate, lanes=(*candidate.lanes, LaneScore(self.name, held, held)), score=raised, fused=raised
        )


NEIGHBOURS = 60


class VectorLane(Lane):
    """Weighs as much as the space that judges a passage is trusted; does not vote if the question has no vector."""

    name = "vector"

    def __init__(self, context: Context) -> None:
        self._vectors = vectors = context.vectors
        rows = None if vectors is None else context.reader.rows(context.question.within)
        self._near = {} if vectors is None else {near.fragment: near for near in vectors.nearest(NEIGHBOURS, rows)}

    def find(self) -> Iterable[int]:
        return self._near

    def judge(self, passages: Passages) -> Votes | None:
        vectors = self._vectors
        if vectors is None:
            return None
        others = [fragment for fragment in passages.fragments if fragment not in self._near]
        known = self._near | {near.fragment: near for near in vectors.judge(others)}
        found = [known.get(fragment) for fragment in passages.fragments]
        return Votes(
            [0.0 if near is None else near.probability for near in found],
            [(vectors.main if near is None else near.by).weight for near in found],
            [None if near is None else near.cosine for near in found],
        )
