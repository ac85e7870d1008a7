"""The stage that says the same thing once, and different things."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.ranking.diversify import apply_diversity
from hearth.ranking.stage import Candidate
from hearth.text.packed import Packed


@dataclass(frozen=True)
class DiversifyStage(Stage):
    name: ClassVar[str] = "diversify"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query, settings = context.query, context.settings
        # A packed answer pays for a line once, which is diversity enough; weighing a hundred windows costs 40 ms.
        diverse = settings.mmr and query.diverse and query.budget_tokens is None
        aside = frozenset(() if context.lexicon.aside is None else (context.lexicon.aside,))

        def bag(candidate: Candidate) -> frozenset[int]:
            """The index terms that stand in a candidate's text."""
            return frozenset(Packed(candidate.packed).body_ids()) - aside

        spread = apply_diversity(settings.mmr_weight if diverse else None, query.limit, bag)
        return replace(pool, candidates=spread(pool.candidates))
