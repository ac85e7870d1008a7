"""The stage that puts our notes about sessions below what they quote."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.ranking.echo import give_way


@dataclass(frozen=True)
class EchoStage(Stage):
    name: ClassVar[str] = "echo"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        return replace(pool, candidates=give_way(pool.candidates))
