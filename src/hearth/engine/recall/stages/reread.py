"""The stage that has a model read the best candidates."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass


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
