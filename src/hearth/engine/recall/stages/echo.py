"""The stage that puts our notes about sessions below what they quote, and what was only asked in one below answers."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.ranking.echo import AskedQuestion, give_way, let_answer


@dataclass(frozen=True)
class EchoStage(Stage):
    name: ClassVar[str] = "echo"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        return replace(pool, candidates=give_way(let_answer(pool.candidates, _ask(context))))


def _ask(context: Context) -> AskedQuestion:
    weights = context.lexicon.idf_by_term
    words = [(frozenset(w.variants), max(weights.get(v, 0.0) for v in w.variants)) for w in context.question.words]
    return AskedQuestion(words, tuple(context.statistics.languages))
