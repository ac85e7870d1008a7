"""Stages that move scores: metadata, a reranking model, a person's own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import ClassVar

from hearth.core.fragment import SAID
from hearth.core.lazy import dataclass
from hearth.core.types import CONVERSATION
from hearth.memory.history.validity import is_memory
from hearth.memory.sessions.statistics import companions, moves
from hearth.ports import Reader, StoredDocument
from hearth.recall.candidates import Context
from hearth.recall.interfaces import Pool, Stage
from hearth.recall.ranking.factors import Ageing, Companions
from hearth.recall.ranking.prior import apply_composite, apply_prior
from hearth.recall.ranking.stage import Candidate
from hearth.recall.statements import say_the_same


@dataclass(frozen=True)
class PriorStage(Stage):
    name: ClassVar[str] = "prior"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query, settings = context.query, context.settings
        ageing = Ageing(query.at, settings.half_lives, settings.temporal_decay)
        apply = apply_composite if settings.scoring == "composite" else apply_prior
        used = _companions(context.reader)
        # A turn carries the day of its whole conversation, too coarse for "now"; only "latest" counts there.
        notes = pool.candidates[0].fragment.kind != "turn"
        recent = context.question.recent or (context.question.now and notes)
        move = apply(ageing, used, recent=recent, explain=query.explain)
        return replace(pool, candidates=move(pool.candidates))


def _companions(reader: Reader) -> Companions:
    """What a document was used together with; what was never used is not looked up."""
    moved = cache(lambda: moves(reader))

    def used_with(stored: StoredDocument) -> Mapping[str, int]:
        return companions(reader, stored.document.docid, moved()) if stored.state.access_count else {}

    return used_with


@dataclass(frozen=True)
class RerankStage(Stage):
    name: ClassVar[str] = "rerank"

    def applies(self, context: Context) -> bool:
        return context.rerank is not None

    def __call__(self, context: Context, pool: Pool) -> Pool:
        assert context.rerank is not None
        near = None if context.vectors is None else context.vectors.nearness
        found = context.rerank(context.query, context.question.text, pool.candidates, context.emphasis, near)
        missing = pool.missing if found.missing is None else (*pool.missing, found.missing)
        return replace(pool, candidates=found.pool, missing=missing, trace={**pool.trace, "rerank": dict(found.trace)})


# Another part of a conversation stays where nothing else answers this share as well as it does.
_AS_WELL = 0.7


@dataclass(frozen=True)
class QuotesStage(Stage):
    """A window of a conversation adds nothing to what the person said in it, where that answers as well. Where nobody
    asked (``unasked``), windows come only for what no memory, note or own sentence says, and a statement comes once, as
    it stands first."""

    name: ClassVar[str] = "quotes"
    unasked: bool = False

    def __call__(self, context: Context, pool: Pool) -> Pool:
        rest = [candidate for candidate in pool.candidates if not is_window(candidate)]
        bar = max((candidate.score for candidate in rest), default=0.0) / _AS_WELL
        kept: list[Candidate] = []
        for candidate in pool.candidates:
            if is_window(candidate):
                if (self.unasked and candidate.score <= bar) or any(_stands_in(one, candidate) for one in rest):
                    continue
            elif self.unasked and candidate.said and any(say_the_same(one.said, candidate.said) for one in kept):
                continue
            kept.append(candidate)
        return replace(pool, candidates=kept)


def _stands_in(said: Candidate, window: Candidate) -> bool:
    """Whether what the person said is a part of a window and answers as well."""
    if said.document.id != window.document.id or said.fragment.kind != SAID or said.score < window.score:
        return False
    return window.fragment.start_line <= said.fragment.start_line <= window.fragment.end_line


def is_window(candidate: Candidate) -> bool:
    """Whether it is a part of a conversation, and no sentence of the person's alone."""
    document = candidate.document.document
    return document.content_type == CONVERSATION and is_memory(document) and candidate.fragment.kind != SAID
