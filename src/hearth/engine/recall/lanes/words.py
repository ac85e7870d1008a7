"""The keyword and substring lanes: words by their stems, and tokens as they are written, from one index of terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hearth.engine.recall.context import Context
from hearth.engine.recall.lane import IndexedPassage, Lane, Vote
from hearth.engine.recall.lexicon import Lexicon, match
from hearth.ranking.bm25 import relevance
from hearth.ranking.weights import FUSION


class KeywordLane(Lane):
    """One bounded match finds what either lane judges."""

    name = "keyword"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._weight = FUSION.keyword if context.question.words else 0.0

    def find(self) -> Iterable[int]:
        return match(self._context.question, self._context.lexicon, self._context.reader)

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        words, mass = self._context.lexicon.words, self._context.lexicon.mass
        if not words:
            return [Vote(weight=self._weight)] * len(passages)
        found = (relevance(passage.terms, passage.length, words, mass) for passage in passages)
        return [Vote(each.score, self._weight, each.raw) for each in found]


class SubstringLane(Lane):
    name = "substring"

    def __init__(self, context: Context) -> None:
        self._lexicon = context.lexicon
        self._weight = FUSION.substring * _share(context.lexicon) if context.question.tokens else 0.0

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        tokens, mass = self._lexicon.tokens, self._lexicon.token_mass
        if not tokens:
            return [Vote(weight=self._weight)] * len(passages)
        found = (relevance(passage.terms, passage.length, tokens, mass) for passage in passages)
        return [Vote(each.coverage, self._weight, each.raw) for each in found]


def _share(lexicon: Lexicon) -> float:
    """How much of what the question tells is in its tokens."""
    return lexicon.token_mass / max(lexicon.mass, lexicon.token_mass, 1e-9)
