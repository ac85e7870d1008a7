"""The stage that follows relations from the best answers: what hangs together with them gains a little, and what the
question's words would not have found comes in behind what it was reached from. What is merely near (in time, in
meaning, by use or a name in common) proves nothing: it moves no hit, and comes in behind all of them, so that it is
followed only where there is room for it.

It changes no judgement of whether the answer is one, and nothing at all where no relation leads anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from hearth.core.graph import NEARNESS, DocumentRelation, PathStep
from hearth.core.query import Move
from hearth.graph.relations import relations_of
from hearth.graph.walk import WalkHit, WalkStep, walk
from hearth.ports import EVERYTHING, StoredDocument, StoredFragment
from hearth.recall.interfaces import Context, Pool
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import WALK, count_occurrences, list_terms, relevance
from hearth.recall.routing import asks_effects, classify

# So many fragments of a document that comes in are judged.
_READ = 60
_HEAD = "frontmatter"


class _Ranked(NamedTuple):
    """What orders an answer: what leads, what doesn't, and what is merely near; then the standing, then the former
    place."""

    behind: int
    standing: float
    place: int
    candidate: Candidate


class _Coming(NamedTuple):
    """A document that no word of the question found."""

    reached: WalkHit
    document: StoredDocument
    fragments: Sequence[StoredFragment]
    score: float
    standing: float


NAME = "walk"


def follow_relations(context: Context, pool: Pool) -> Pool:
    asked = context.query.asked or classify(context.question.text)
    seeds = _weigh_seeds(pool.candidates)
    room = len(pool.candidates) < context.query.limit
    reached = {one.docid: one for one in walk(seeds, _expand(context, near=room), asked.asked)}
    trace = {**pool.trace, "class": asked.asked, "class_why": asked.why, "reached": len(reached)}
    if not reached:
        return replace(pool, trace=trace)
    relations = _Told(context, reached)
    ranked = _raise(pool.candidates, relations, frozenset(seeds))
    ranked += _bring_in(context, ranked, relations)
    ranked.sort(key=lambda one: (one.behind, -one.standing, one.place))
    found = [one.candidate for one in ranked]
    return replace(pool, candidates=_put_causes_first(context, found) if asked.asked == "why" else found, trace=trace)


_MOST_CAUSES = 3


def _put_causes_first(context: Context, candidates: list[Candidate]) -> list[Candidate]:
    """Puts the causes of the best answer right behind it, the weightiest first; its effects, if the question asks for
    those."""
    subject = candidates[0].document.document.docid
    effects = asks_effects(context.question.text)
    weights: dict[str, float] = {}
    for relation in relations_of(context.reader, [subject], ("causal",), context.question.within):
        here, there = (relation.source, relation.target) if effects else (relation.target, relation.source)
        if here == subject and relation.weight > 0:
            weights[there] = max(relation.weight, weights.get(there, 0.0))
    first: dict[str, Candidate] = {}
    for candidate in candidates[1:]:
        docid = candidate.document.document.docid
        if docid in weights:
            first.setdefault(docid, candidate)
    causes = sorted(first.values(), key=lambda one: -weights[one.document.document.docid])[:_MOST_CAUSES]
    moved = {one.fragment.id for one in causes}
    return [candidates[0], *causes, *(one for one in candidates[1:] if one.fragment.id not in moved)]


class _Told:
    """What the walk reached, with its ways in words."""

    def __init__(self, context: Context, reached: dict[str, WalkHit]) -> None:
        self.reached = reached
        self._reader = context.reader
        self._place = cache(self._find_place)

    def path(self, one: WalkHit) -> tuple[PathStep, ...]:
        return tuple(self._step(step) for step in one.path)

    def _step(self, step: WalkStep) -> PathStep:
        relation = step.relation
        return PathStep(
            relation.source,
            relation.type,
            relation.target,
            self._place(relation.source),
            self._place(relation.target),
            relation.weight,
        )

    def _find_place(self, docid: str) -> str:
        stored = self._reader.document(docid)
        return f"#{docid}" if stored is None else stored.document.place


def _is_near(one: WalkHit) -> bool:
    """Whether one of the steps that lead to it says only that two documents are near."""
    return any(step.relation.type in NEARNESS and not step.relation.stated for step in one.path)


def _weigh_seeds(candidates: Sequence[Candidate]) -> dict[str, float]:
    seeds: dict[str, float] = {}
    for candidate in candidates[: WALK.seeds]:
        docid = candidate.document.document.docid
        seeds[docid] = max(seeds.get(docid, 0.0), candidate.score**2)
    return seeds


def _expand(context: Context, *, near: bool) -> Callable[[Sequence[str]], list[DocumentRelation]]:
    return lambda docids: relations_of(context.reader, docids, (), context.question.within, near=near)


def _raise(candidates: Sequence[Candidate], walk: _Told, seeds: Set[str]) -> list[_Ranked]:
    """Every candidate, the first of each document with what that gains: raised as one, its fragments would crowd out
    those of others. Diversity has a say in their order: what it put behind a weaker one stands no higher than that, and
    of those any gain decides. Where the walk began its way tells of no hit how it was found."""
    ranked: list[_Ranked] = []
    standing = 1.0
    raised: set[str] = set()
    for place, candidate in enumerate(candidates):
        standing = min(standing, candidate.score)
        one = walk.reached.get(candidate.document.document.docid)
        if one is None or one.docid in raised:
            ranked.append(_Ranked(int(not candidate.leads), standing, place, candidate))
            continue
        raised.add(one.docid)
        gain = 0.0 if _is_near(one) else WALK.gain * one.share**WALK.power * (1 - candidate.score)
        path = walk.path(one)
        moved = candidate.move(NAME, candidate.score + gain, path[-1].words)
        found = moved if one.docid in seeds else replace(moved, chain=path)
        ranked.append(_Ranked(int(not candidate.leads), standing + gain, place, found))
    return ranked


def _bring_in(context: Context, hits: Sequence[_Ranked], walk: _Told) -> list[_Ranked]:
    """What no word of the question found, by its best fragment, behind what it was reached from; what is merely near
    where there is room behind all hits."""
    scores: dict[str, float] = {}
    standings: dict[str, float] = {}
    for hit in hits:
        docid = hit.candidate.document.document.docid
        scores[docid] = max(scores.get(docid, 0.0), hit.candidate.score_before(NAME))
        standings[docid] = max(standings.get(docid, 0.0), hit.standing)
    coming: list[_Coming] = []
    for one in sorted(walk.reached.values(), key=_is_near):
        score = WALK.newcomer * one.share**WALK.power * scores.get(one.seed, 0.0)
        full = _is_near(one) and len(hits) + len(coming) >= context.query.limit
        if full or len(coming) == context.query.limit // 2:
            break
        if one.docid in scores or score < (context.min_score or 0.0):
            continue
        stored = context.reader.document(one.docid)
        whole = () if stored is None else context.reader.fragments_of(stored.id)
        fragments = [part for part in whole if part.kind != _HEAD][:_READ]
        if stored is not None and fragments:
            coming.append(_Coming(one, stored, fragments, score, min(score, standings.get(one.seed, 0.0))))
    worth = _judge(context, [part.id for each in coming for part in each.fragments])
    found: list[_Ranked] = []
    for each in coming:
        best = max(each.fragments, key=lambda part: (worth[part.id], -part.seq))
        path = walk.path(each.reached)
        move = Move(NAME, 0.0, each.score, path[-1].words)
        candidate = Candidate(best, each.document, each.score, moves=(move,), chain=path)
        behind = 2 if _is_near(each.reached) else 1
        found.append(_Ranked(behind, each.standing, len(hits) + len(found), candidate))
    return found


def _judge(context: Context, fragments: Sequence[int]) -> dict[int, float]:
    """What fragments say of the question, as the index has them: the share of its words, and nearness in meaning."""
    lexicon, worth = context.lexicon, dict.fromkeys(fragments, 0.0)
    terms = list_terms(lexicon.words)
    for posting in context.reader.postings(fragments, EVERYTHING):
        occurrences = count_occurrences(posting.packed, terms)
        worth[posting.fragment] = relevance(occurrences, 1.0, lexicon.words, lexicon.mass).coverage
    for near in context.vectors.judge(fragments) if context.vectors is not None else ():
        worth[near.fragment] += max(0.0, near.cosine)
    return worth
