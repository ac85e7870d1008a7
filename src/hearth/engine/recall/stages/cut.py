"""The stage that leaves out what is not relevant enough to be an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.ranking.cut import apply_cut
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CUT

# Rules brought up for one prompt.
MOST_RULES = 5


@dataclass(frozen=True)
class CutStage(Stage):
    """``floor`` is what the best passage must reach, ``ratio`` the share of its score that the others need, and
    ``beside`` the same for long passages of a packed answer; ``by_names`` lowers or raises the floor by whether the
    notes know what the question names: names say more than anything else whether a prompt is about these notes. Whoever
    asked gets the best there is all the same, told that it is not sure; only where ``silent`` nothing is left."""

    name: ClassVar[str] = "cut"
    floor: float = CUT.floor
    ratio: float = CUT.ratio
    beside: float | None = None
    by_names: bool = False
    silent: bool = False

    def __call__(self, context: Context, pool: Pool) -> Pool:
        floor, given = self._floor(context), context.query.min_score
        best = max(candidate.score_before("prior") for candidate in pool.candidates)
        confident = max(candidate.relevance for candidate in pool.candidates) >= floor
        cut = self.silent or given is not None
        # A list may be long; what is packed into a context is read from end to end.
        beside = None if context.query.budget_tokens is None else self.beside
        kept = self._cut(pool.candidates, apply_cut(floor, given, self.ratio, beside)) if cut else pool.candidates
        weak = f"the best passage scored {best:.2f}, too little to be an answer"
        reason = pool.reason or (None if confident and kept else weak)
        return replace(pool.hold(kept, weak), confident=pool.confident and confident, reason=reason)

    def _cut(self, candidates: list[Candidate], apply: Callable[[list[Candidate]], list[Candidate]]) -> list[Candidate]:
        """What governs an instruction stays, and says nothing of whether anything else is an answer."""
        ruling = [candidate for candidate in candidates if candidate.lane("rule")]
        if not ruling or not self.silent:
            return apply(candidates)
        others = apply([candidate for candidate in candidates if not candidate.lane("rule")])
        kept = {id(candidate) for candidate in (*ruling[:MOST_RULES], *others)}
        return [candidate for candidate in candidates if id(candidate) in kept]

    def _floor(self, context: Context) -> float:
        names = context.question.names
        if not self.by_names or not names:
            return self.floor
        known = any(variant in context.lexicon.idf_by_term for name in names for variant in name)
        return self.floor + (-CUT.name if known else CUT.name)
