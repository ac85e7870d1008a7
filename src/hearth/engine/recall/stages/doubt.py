"""The stage that puts what may contradict an answer right behind it: who reads the one shall read the other."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.ranking.stage import Candidate


@dataclass(frozen=True)
class DoubtStage(Stage):
    """Of two documents about which a person is asked whether both can be true, the lower one moves up behind the
    higher one, where that is among the best and the question found both."""

    name: ClassVar[str] = "doubt"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = pool.candidates[: context.query.limit]
        doubts = context.doubts.find(map(_docid, best))
        found = list(pool.candidates)
        for candidate in best if doubts else ():
            for other in doubts.get(_docid(candidate), ()):
                found = _put_behind(found, candidate, other)
        return replace(pool, candidates=found)


def _put_behind(candidates: list[Candidate], one: Candidate, other: str) -> list[Candidate]:
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    top = places[one.fragment.id]
    own = next((at for at, candidate in enumerate(candidates) if _docid(candidate) == other), top)
    if own <= top:
        return candidates
    score = max(candidates[own].score, candidates[top].score)
    moved = candidates[own].move(DoubtStage.name, score, f"may contradict {one.document.document.uri}")
    return [*candidates[: top + 1], moved, *candidates[top + 1 : own], *candidates[own + 1 :]]


def _docid(candidate: Candidate) -> str:
    return candidate.document.document.docid
