"""The stage that lets metadata move a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.usage.companions import companions
from hearth.engine.usage.identities import moves
from hearth.lazy import dataclass
from hearth.ports import Reader, StoredDocument
from hearth.ranking.prior.companions import Companions
from hearth.ranking.prior.composite import apply_composite
from hearth.ranking.prior.factors import Ageing
from hearth.ranking.prior.prior import apply_prior


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
