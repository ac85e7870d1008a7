"""Recall: one function from a query to its answer, the same for every surface. Recipes: the only place that orders
lanes and stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from hearth import vault
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.core.query import MAX_RESULTS, Query, Recall
from hearth.ports import Store
from hearth.recall import stages
from hearth.recall.candidates import gather, open_context
from hearth.recall.hits import as_hit, make_hit
from hearth.recall.interfaces import Context, Lane, Pool, RankingSettings, Select, Stage
from hearth.recall.kind_lanes import KindLane, RuleLane, SessionLane, TimeLane
from hearth.recall.lanes import EntityLane, KeywordLane, NameLane, PhraseLane, SubstringLane, VectorLane
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.snippet import snippet
from hearth.recall.selection import (
    DatedStage,
    NamesakeStage,
    drop_headers,
    keep_asked,
    keep_eligible,
    keep_named,
    keep_phrases,
    keep_true_then,
    put_own_first,
    put_spoken_first,
)
from hearth.recall.stages.cut import CutStage, GateStage, UnansweredStage
from hearth.recall.stages.latest import AgeStage, LatestStage
from hearth.recall.stages.newest import NewestStage
from hearth.recall.stages.pack import DiversifyStage, OutlineStage, PackStage
from hearth.recall.stages.standing import (
    CopiesStage,
    DoubtStage,
    EchoStage,
    PriorStage,
    QuotesStage,
    RerankStage,
    StandingStage,
)
from hearth.text.lines import estimate_tokens
from hearth.vault.ledger import Spaces

if TYPE_CHECKING:
    from hearth.memory.reviews import Doubts
    from hearth.recall.candidates import Expander
    from hearth.recall.rerank import Rerank


_SELECTED = (keep_phrases, put_own_first, put_spoken_first, keep_true_then, keep_asked, drop_headers)


@dataclass(frozen=True, slots=True)
class Recipe:
    """``lanes`` find and judge, of ``unasked`` recipes in the collections that may be brought up; ``selection`` leaves
    out what can't be an answer; ``stages`` then reorder, thin out and pack. All in their order. ``shown`` lanes judge
    for the explanation alone; ``pending`` memories are found, too; ``expands`` where a model may give other words."""

    name: str
    lanes: tuple[type[Lane], ...]
    stages: tuple[Stage, ...]
    selection: tuple[Select, ...] = _SELECTED
    shown: tuple[type[Lane], ...] = ()
    unasked: bool = False
    pending: bool = False
    expands: bool = False

    @property
    def by_meaning(self) -> bool:
        """Whether the question's vector is needed."""
        return VectorLane in self.lanes


_WORDS = (KeywordLane, SubstringLane)
_TIMED = (TimeLane, SessionLane)
_NAMED = (*_WORDS, NameLane, PhraseLane, KindLane, *_TIMED)
_ALL = (*_NAMED, VectorLane)
_MENTIONED = (*_ALL, EntityLane)
_ORDERED = (
    PriorStage(),
    AgeStage(),
    DatedStage(),
    NamesakeStage(),
    EchoStage(),
    DiversifyStage(),
    LatestStage(),
    CopiesStage(),
    StandingStage(),
    NewestStage(),
    DoubtStage(),
)
_ASKED = (*_ORDERED, QuotesStage(), CutStage(), PackStage())


@dataclass(frozen=True)
class WalkStage(Stage):
    """Loaded where it is used: prompts follow no relations."""

    name: ClassVar[str] = "walk"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        return stages.walk.follow_relations(context, pool)


_WALKED = (*_ASKED[:-1], WalkStage(), _ASKED[-1])
# Where nobody asked, what was put off or belongs to other projects stays out, and more must speak for an answer.
_UNASKED = (keep_phrases, put_spoken_first, keep_named, keep_eligible, keep_asked, drop_headers)
_THINNED = (
    *_ORDERED,
    UnansweredStage(),
    QuotesStage(unasked=True),
    GateStage(),
    PackStage(),
)

PLAN, INTENT = "plan", "intent"
"""The recipes of ``recall.planner``; the first has no entry in ``RECIPES``."""
RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("keyword", _NAMED, _ASKED, pending=True),
        Recipe("semantic", (VectorLane, *_TIMED), _ASKED, shown=_WORDS, pending=True),
        Recipe("hybrid", _MENTIONED, (RerankStage(), *_ASKED), pending=True, expands=True),
        Recipe(INTENT, _MENTIONED, (RerankStage(), *_WALKED), pending=True, expands=True),
        Recipe("outline", _ALL, (RerankStage(), PriorStage(), CutStage(cuts=False), OutlineStage())),
        Recipe("surface", (*_ALL, RuleLane), _THINNED, _UNASKED, unasked=True),
        Recipe("surface-speed", (*_NAMED, RuleLane), _THINNED, _UNASKED, unasked=True),
        Recipe("surface-deep", (*_ALL, RuleLane), (RerankStage(), *_THINNED), _UNASKED, unasked=True),
    )
}


def find_recipe(name: str) -> Recipe:
    """Raises ``UsageError`` for a name that there is not."""
    if name not in RECIPES:
        raise UsageError(f"unknown recipe {name!r}; choose one of {', '.join((*RECIPES, PLAN))}")
    return RECIPES[name]


See = Callable[[Context, str, Sequence[Candidate]], object]
"""Called after each step with its name and the candidates left, best first."""


def _pass_by(context: Context, step: str, candidates: Sequence[Candidate]) -> None:
    del context, step, candidates


class Recaller:
    """Answers queries over a store. Thread-safe."""

    def __init__(
        self,
        store: Store,
        spaces: Spaces | None,
        settings: RankingSettings,
        rerank: Rerank | None = None,
        expand: Expander | None = None,
    ) -> None:
        self._store = store
        self.spaces = spaces
        self.settings = settings
        self.rerank, self.expand = rerank, expand

    def __call__(self, query: Query) -> Recall:
        """Raises ``UsageError`` for a limit out of range or a malformed operator; never for odd text."""
        return self.watch(query, _pass_by)

    def for_parts(self, question: str) -> Recaller:
        """For the parts of a question, of which a model is asked once, as a whole."""
        if self.expand is None:
            return self
        return Recaller(self._store, self.spaces, self.settings, self.rerank, self.expand.reword_whole(question))

    def watch(self, query: Query, see: See) -> Recall:
        """As ``__call__``, but calls ``see`` after each step."""
        if not 1 <= query.limit <= MAX_RESULTS:
            raise UsageError(f"limit {query.limit} is out of range; choose 1 to {MAX_RESULTS}")
        started = time.perf_counter()
        recipe = find_recipe(query.recipe)
        if recipe.unasked and not query.collections:
            query = replace(query, collections=self.settings.surfaced())
        if recipe.pending and query.conversation is None:
            query = replace(query, include=tuple(dict.fromkeys((*query.include, "pending"))))
        with self._store.read() as reader:
            context = open_context(
                query, reader, self.settings, self.rerank, unasked=recipe.unasked, by_meaning=recipe.by_meaning
            )
            unanswerable = _refuse(context)
            if context.question.empty and context.question.within.chosen:
                answer = _list(context, recipe)
            elif unanswerable is not None:
                answer = _make_recall(context, recipe, Pool([], unanswerable), 0)
            else:
                answer = self._run(context.with_vectors(self.spaces) if recipe.by_meaning else context, recipe, see)
            answer = _with_doubts(answer, context.doubts)
        return replace(answer, took_ms=(time.perf_counter() - started) * 1000)

    def _run(self, context: Context, recipe: Recipe, see: See) -> Recall:
        found, missing, trace = gather(context, recipe.lanes, recipe.shown), context.missing, {}
        # Operators say exactly what is wanted; a model's words would leave them out.
        if self.expand is not None and recipe.expands and not context.query.syntax:
            other = self.expand(context, self.spaces, found)
            found, missing, trace = other.candidates, (*missing, *other.missing), {"expansion": dict(other.trace)}
        see(context, "fusion", found)
        for select in recipe.selection:
            found = select(context, found)
            see(context, select.__name__, found)
        narrow = " within these filters (collection, type, date)" if context.question.within.narrow else ""
        reason = f"no fragment{narrow} shares a word or meaning with the query"
        pool = Pool([], missing=missing, trace=trace).hold(found, reason)
        for stage in recipe.stages:
            if pool.candidates and stage.applies(context):
                pool = stage(context, pool)
                see(context, stage.name, pool.candidates)
        return _make_recall(context, recipe, pool, len(found))


def _with_doubts(answer: Recall, known: Doubts) -> Recall:
    """Adds to each hit under review what may contradict it."""
    doubts = known.find(hit.docid for hit in answer.hits)
    if not doubts:
        return answer
    hits = (replace(hit, validity=replace(hit.validity, doubts=doubts.get(hit.docid, ()))) for hit in answer.hits)
    return replace(answer, hits=tuple(hits))


def _refuse(context: Context) -> str | None:
    if context.question.empty:
        return "the query has nothing to search for"
    if not context.statistics.fragments:
        return vault.documents.why_empty(context.reader.skipped())
    return None


def _list(context: Context, recipe: Recipe) -> Recall:
    """The answer to a question of filters alone: the beginning of each admitted document, by its place."""
    reader, query = context.reader, context.query
    hits = [
        as_hit(
            stored, parts[0], 1.0, snippet(parts[0].text, parts[0].start_line, {}, stored.document.language), query.at
        )
        for stored in reader.find_documents(context.question.within, query.limit)
        if (parts := reader.fragments_of(stored.id))
    ]
    reason = None if hits else "no document matches the filters"
    return Recall(
        query.text, recipe.name, tuple(hits), reason=reason, confident=bool(hits), confidence=float(bool(hits))
    )


def _make_recall(context: Context, recipe: Recipe, pool: Pool, found: int) -> Recall:
    """``found`` candidates came to the stages."""
    hits = tuple(make_hit(context, candidate) for candidate in pool.candidates)
    return Recall(
        query=context.query.text,
        recipe=recipe.name,
        hits=hits,
        missing=pool.missing,
        reason=pool.reason,
        confident=bool(hits) and pool.confident,
        confidence=pool.confidence if hits else 0.0,
        tokens=sum(estimate_tokens(hit.text) for hit in hits),
        trace=_make_trace(context, recipe, pool, found if hits else 0) if context.query.explain else {},
    )


def _make_trace(context: Context, recipe: Recipe, pool: Pool, found: int) -> dict[str, Any]:
    question = context.question
    return {
        "lanes": [lane.name for lane in recipe.lanes],
        "stages": [stage.name for stage in recipe.stages if stage.applies(context)],
        "words": [list(word.variants) for word in question.words],
        "bridges": [list(bridge) for bridge in context.lexicon.bridges],
        "tokens": [list(token.variants) for token in question.tokens],
        "phrases": list(question.phrases),
        "times": [time.phrase for time in question.times],
        "recency": question.recent,
        "words_dropped": question.dropped,
        "candidates": found,
        "generation": context.statistics.generation,
        **pool.trace,
    }
