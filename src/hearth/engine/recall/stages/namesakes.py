"""The stage that puts what bears the asked name first."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.ranking.lead import lead
from hearth.ranking.stage import Candidate


@dataclass(frozen=True)
class NamesakeStage(Stage):
    """A question that is a document's whole name asks for that document, whatever a model thinks of its text."""

    name: ClassVar[str] = "name"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        led = lead(pool.candidates, _is_namesake, self.name, "its name is the question")
        return replace(pool, candidates=[replace(c, reread=None) if _is_namesake(c) else c for c in led])


def _is_namesake(candidate: Candidate) -> bool:
    return bool(candidate.lane("name"))
