"""The stage that follows relations from the best answers: what hangs together with them gains a little, and what the
question's words would not have found comes in behind what it was reached from. What is merely near (in time, in
meaning, by use or a name in common) proves nothing: it puts none of the best answers out of their number.

It changes no judgement of whether the answer is one, and nothing at all where no relation leads anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import cache
from math import inf
from typing import ClassVar, NamedTuple

from hearth.engine.graph.relations import relations_of
from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.pack import judge_texts
from hearth.engine.routing.classes import classify
from hearth.graph.walk import Reached, WalkStep, walk
from hearth.lazy import dataclass
from hearth.model.graph.path import PathStep
from hearth.model.graph.relation import DocumentRelation
from hearth.model.query import Move
from hearth.ports import EVERYTHING, StoredFragment
from hearth.ranking.bm25 import relevance
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import WALK
from hearth.text.packed import Packed

# Of so many passages of a document that comes in those that hold most of the question are judged.
_READ, _JUDGED = 60, 3
_HEAD = "frontmatter"
# What says, unless somebody stated it, that two documents are near each other, not that one bears on the other.
_NEARNESS = frozenset({"temporal", "semantic", "entity", "usage"})


class _Ranked(NamedTuple):
    """What orders an answer: what leads, then the standing, then the former place."""

    behind: bool
    standing: float
    place: int
    candidate: Candidate


@dataclass(frozen=True)
class WalkStage(Stage):
    name: ClassVar[str] = "walk"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        asked = classify(context.question.text)
        seeds = _weigh_seeds(pool.candidates)
        reached = {one.docid: one for one in walk(seeds, _expand(context), asked.asked)}
        trace = {**pool.trace, "class": asked.asked, "class_why": asked.why, "reached": len(reached)}
        if not reached:
            return replace(pool, trace=trace)
        told = _Told(context, reached, _floor(pool.candidates))
        ranked = _raise(pool.candidates, told, frozenset(seeds))
        ranked += _bring_in(context, ranked, told)
        ranked.sort(key=lambda one: (one.behind, -one.standing, one.place))
        return replace(pool, candidates=[one.candidate for one in ranked], trace=trace)


class _Told:
    """What the walk reached, with its ways in words."""

    def __init__(self, context: Context, reached: dict[str, Reached], floor: float) -> None:
        self.reached = reached
        self._floor = floor
        self._reader = context.reader
        self._place = cache(self._find_place)

    def hold(self, one: Reached, standing: float) -> float:
        """No more than the last of the best answers has, for what is merely near to them."""
        near = any(step.relation.type in _NEARNESS and not step.relation.stated for step in one.path)
        return min(standing, self._floor) if near else standing

    def path(self, one: Reached) -> tuple[PathStep, ...]:
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
        return f"#{docid}" if stored is None else f"{stored.document.collection}/{stored.document.path}"


def _weigh_seeds(candidates: Sequence[Candidate]) -> dict[str, float]:
    seeds: dict[str, float] = {}
    for candidate in candidates[: WALK.seeds]:
        docid = candidate.document.document.docid
        seeds[docid] = max(seeds.get(docid, 0.0), candidate.score**2)
    return seeds


def _floor(candidates: Sequence[Candidate]) -> float:
    """Where the last of the best answers stands; 1 and more where there are fewer."""
    best = candidates[: WALK.seeds]
    return min(one.score for one in best) if len(best) == WALK.seeds else inf


def _expand(context: Context) -> Callable[[Sequence[str]], list[DocumentRelation]]:
    return lambda docids: relations_of(context.reader, docids, (), context.question.within)


def _raise(candidates: Sequence[Candidate], told: _Told, seeds: Set[str]) -> list[_Ranked]:
    """Every candidate, the first of each document with what that gains: raised as one, its passages would crowd out
    those of others. Diversity has a say in their order: what it put behind a weaker one stands no higher than that, and
    of those any gain decides. Where the walk began its way tells of no hit how it was found."""
    ranked: list[_Ranked] = []
    standing = 1.0
    raised: set[str] = set()
    for place, candidate in enumerate(candidates):
        standing = min(standing, candidate.score)
        one = told.reached.get(candidate.document.document.docid)
        if one is None or one.docid in raised:
            ranked.append(_Ranked(not candidate.leads, standing, place, candidate))
            continue
        raised.add(one.docid)
        gain = WALK.gain * one.share**WALK.power * (1 - candidate.score)
        path = told.path(one)
        stands = standing + gain if place < WALK.seeds else told.hold(one, standing + gain)
        moved = candidate.move(WalkStage.name, candidate.score + gain, path[-1].words)
        found = moved if one.docid in seeds else replace(moved, chain=path)
        ranked.append(_Ranked(not candidate.leads, stands, place, found))
    return ranked


def _bring_in(context: Context, hits: Sequence[_Ranked], told: _Told) -> list[_Ranked]:
    """What no word of the question found, by its best passage, behind what it was reached from."""
    scores: dict[str, float] = {}
    standings: dict[str, float] = {}
    for hit in hits:
        docid = hit.candidate.document.document.docid
        scores[docid] = max(scores.get(docid, 0.0), hit.candidate.score_before(WalkStage.name))
        standings[docid] = max(standings.get(docid, 0.0), hit.standing)
    found: list[_Ranked] = []
    for one in told.reached.values():
        score = WALK.newcomer * one.share**WALK.power * scores.get(one.seed, 0.0)
        if len(found) == context.query.limit // 2:
            break
        if one.docid in scores or score < (context.query.min_score or 0.0):
            continue
        best = _find_best(context, one, score, told.path(one))
        if best is not None:
            standing = told.hold(one, min(score, standings.get(one.seed, 0.0)))
            found.append(_Ranked(True, standing, len(hits) + len(found), best))
    return found


def _find_best(context: Context, one: Reached, score: float, path: tuple[PathStep, ...]) -> Candidate | None:
    stored = context.reader.document(one.docid)
    if stored is None:
        return None
    fragments = [part for part in context.reader.fragments_of(stored.id) if part.kind != _HEAD][:_READ]
    if not fragments:
        return None
    fragments = _choose(context, fragments)
    worth = judge_texts(context, [part.text for part in fragments])
    best = max(range(len(fragments)), key=lambda at: (worth[at], -at))
    move = Move(WalkStage.name, 0.0, score, path[-1].words)
    return Candidate(fragments[best], stored, score, moves=(move,), chain=path)


def _choose(context: Context, fragments: Sequence[StoredFragment]) -> list[StoredFragment]:
    """Those that cover most of the question, as the index has them, in that order."""
    lexicon = context.lexicon
    covered: dict[int, float] = {}
    if lexicon.mass > 0:
        for posting in context.reader.postings([part.id for part in fragments], EVERYTHING):
            found = relevance(Packed(posting.packed), 1.0, lexicon.words, lexicon.mass)
            covered[posting.fragment] = found.coverage
    return sorted(fragments, key=lambda part: (-covered.get(part.id, 0.0), part.seq))[:_JUDGED]
