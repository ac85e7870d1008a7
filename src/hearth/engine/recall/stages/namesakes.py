"""The stage that puts what bears the asked name first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.ranking.namesakes import lead_namesakes


@dataclass(frozen=True)
class NamesakeStage(Stage):
    name: ClassVar[str] = "name"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        del context
        return replace(pool, candidates=lead_namesakes(pool.candidates))
