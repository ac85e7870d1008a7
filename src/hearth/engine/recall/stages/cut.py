"""The stage that leaves out what is not relevant enough to be an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.lanes.kinds import KIND_BY_MEANING
from hearth.engine.recall.personal import is_personal, tells_of_person
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.model.query import DEFAULT_LIMIT
from hearth.ranking.bm25 import relevance
from hearth.ranking.confidence import estimate_confidence, weigh_evidence
from hearth.ranking.cut import cut_at, cut_weak
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CONFIDENCE, CUT
from hearth.text.packed import Packed

# Of so many of the best passages one has to cover the question.
_BEST = 3
# Passages of the smallest and the largest vault that it was measured on.
_FEWEST, _MOST = 100, 5_000

# Rules brought up for one prompt.
MOST_RULES = 3
# Of a kind that is asked for, about what the question names.
MOST_OF_KIND = 3
# And what names a thing in code that the prompt names.
MOST_NAMED = 2


@dataclass(frozen=True)
class CutStage(Stage):
    """``floor`` is the confidence that an answer needs. Whoever asked gets the best there is all the same, told that it
    is not sure. A least score, or a limit above the usual one, takes the place of the usual cut; a stage that only
    judges (``cuts`` is false) leaves every candidate in."""

    name: ClassVar[str] = "cut"
    floor: float = CUT.floor
    cuts: bool = True

    def __call__(self, context: Context, pool: Pool) -> Pool:
        given = context.min_score
        confidence = judge(context, pool.candidates, _help(context, pool.candidates))
        confident = confidence >= self.floor
        weak = f"a confidence of {confidence:.2f} is too little to be an answer"
        kept = pool.candidates
        if given is not None:
            kept = cut_at(pool.candidates, given)
            weak = weak if kept else f"no passage scored {given:.2f}"
        elif self.cuts and not context.question.only and context.query.limit <= DEFAULT_LIMIT:
            kept = cut_weak(pool.candidates)
        reason = pool.reason or (None if confident and kept else weak)
        # What an earlier stage doubts is never confident.
        sure, share = (confident, 1.0) if pool.confident else (False, CUT.floor)
        return replace(pool.hold(kept, weak), confidence=share * confidence, confident=sure, reason=reason)


def _help(context: Context, candidates: Sequence[Candidate]) -> float:
    """Evidence beside what the passages say."""
    return _help_by_held_names(context, candidates) - CONFIDENCE.many * max(0.0, _measure_size(context))


def governs(candidate: Candidate) -> bool:
    """Whether it is a rule for what an instruction touches, or of the kind that the question asks for."""
    return bool(candidate.lane("rule") or candidate.lane("kind"))


def _measure_size(context: Context) -> float:
    """The logarithm of how many times as many passages there are as the curve was fitted on: chance finds something
    like any question where there are enough."""
    return math.log(min(max(context.statistics.fragments, _FEWEST), _MOST) / CONFIDENCE.passages)


def _help_by_held_names(context: Context, candidates: Sequence[Candidate]) -> float:
    return CONFIDENCE.names * (2 * _hold_names(context, candidates) - 1) if context.question.names else 0.0


def holds_identifier(context: Context, candidate: Candidate) -> bool:
    """Whether it has a name in code that the prompt mentions and few passages have: it is about that thing."""
    rare = context.lexicon.identifiers
    return bool(rare) and not rare.isdisjoint(Packed(candidate.packed).ids())


def judge(context: Context, candidates: Sequence[Candidate], more: float = 0.0) -> float:
    """The confidence that one of the candidates answers, with some ``more`` evidence; what a model has read of them
    says it better."""
    read = [candidate.reread for candidate in candidates if candidate.reread is not None]
    if read:
        return max(read)
    if any(candidate.lane("name") or (candidate.lane("kind") or 0.0) > KIND_BY_MEANING for candidate in candidates):
        return 1.0
    if context.question.only:
        return max(candidate.relevance for candidate in candidates)
    best = sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]
    near = [value for candidate in candidates if (value := candidate.lane("vector")) is not None]
    trust = 0.0 if context.vectors is None else context.vectors.trust
    # Vectors that know no word of a question were asked all the same; a model that is down was not.
    asked = context.by_meaning and (context.vectors is not None or not context.missing)
    nearest = max(near, default=0.0) if asked else None
    evidence = weigh_evidence(_cover(context, best), nearest, best[0].relevance, trust)
    found = estimate_confidence(evidence + more)
    about = not is_personal(context.question.text) or tells_of_person(context, best)
    return found if about else CUT.floor * found


def _hold_names(context: Context, candidates: Sequence[Candidate]) -> float:
    """The share of the question's names that one of the best passages holds."""
    best = sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]
    there = frozenset(term for candidate in best for term in Packed(candidate.packed).ids())
    names = context.lexicon.names
    return sum(not name.isdisjoint(there) for name in names) / len(names)


def _cover(context: Context, candidates: Sequence[Candidate]) -> float:
    """The greatest share of the question that a passage covers: by whole tokens where it has no words."""
    lexicon = context.lexicon
    words, mass = (lexicon.words, lexicon.mass) if lexicon.mass else (lexicon.tokens, lexicon.token_mass)
    if mass <= 0:
        return max((candidate.relevance for candidate in candidates), default=0.0)
    return max((relevance(Packed(each.packed), 1.0, words, mass).coverage for each in candidates), default=0.0)
