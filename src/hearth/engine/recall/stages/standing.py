"""The stage that puts decisions that do not hold behind those that do."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.indexing import supersession
from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.language.words import cues
from hearth.lazy import dataclass
from hearth.model.document import OVER, SUPERSEDED
from hearth.ranking.stage import Candidate, order
from hearth.ranking.weights import PRIOR

# So many of the best fragments are looked at.
_READ = 30


@dataclass(frozen=True)
class StandingStage(Stage):
    """What was rejected, deprecated or superseded counts a little less than what holds, and stands below what took its
    place; unless that is what the question asks for."""

    name: ClassVar[str] = "standing"

    def applies(self, context: Context) -> bool:
        question = context.question
        asked = question.then or question.within.statuses or "superseded" in question.within.include
        return not asked

    def __call__(self, context: Context, pool: Pool) -> Pool:
        over = {c.fragment.id for c in pool.candidates[:_READ] if c.document.document.status in OVER}
        if not over or cues("tense", "over").search(context.question.text):
            return pool
        moved = [_lower(one) if one.fragment.id in over else one for one in pool.candidates]
        for one in [one for one in moved if one.document.document.status == SUPERSEDED and one.fragment.id in over]:
            moved = _put_successor_first(context, moved, one)
        return replace(pool, candidates=order(moved))


def _lower(candidate: Candidate) -> Candidate:
    status = candidate.document.document.status
    return candidate.move(StandingStage.name, candidate.score * PRIOR.over, f"its status is {status}")


def _put_successor_first(context: Context, candidates: list[Candidate], older: Candidate) -> list[Candidate]:
    """The best fragment of what took its place scores no less than it does."""
    by = supersession.successor(context.reader, older.document.document.docid)
    newer = next((one for one in candidates if by is not None and one.document.document.docid == by), None)
    if newer is None or newer.score > older.score:
        return candidates
    uri = older.document.document.uri
    led = newer.move(StandingStage.name, older.score / PRIOR.over, f"takes the place of {uri}")
    return [led if one is newer else one for one in candidates]
