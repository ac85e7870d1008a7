"""Follows one document through a question: which lanes find it, its place after each step, and the step that drops
it."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.core.lazy import dataclass
from hearth.core.query import Query
from hearth.recall.interfaces import Context
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.recall import Recaller
from hearth.recall.recipes import find_recipe

RESULTS = "results"


@dataclass(frozen=True, slots=True)
class Step:
    """``place`` is the rank of the document's best fragment ``among`` the candidates left, from 1; ``None`` where none
    is left."""

    name: str
    place: int | None
    among: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Followed:
    """``lanes`` give the document's place in each lane's own list, ``steps`` its place after each step. ``lost`` names
    the step that dropped it; ``None`` if it is among the results."""

    lanes: tuple[Step, ...]
    steps: tuple[Step, ...]

    @property
    def lost(self) -> str | None:
        return next((step.name for step in self.steps if step.place is None), None)


def follow(recaller: Recaller, query: Query, docid: str) -> Followed:
    """Raises as ``Recaller`` does. There are no steps if the question has nothing to search for."""
    lanes: list[Step] = []
    steps: list[Step] = []

    def see(context: Context, name: str, candidates: Sequence[Candidate]) -> None:
        if not steps:
            lanes.extend(_ask_lanes(context, docid))
        own = [(place, one) for place, one in enumerate(candidates, 1) if one.document.document.docid == docid]
        place, best = own[0] if own else (None, None)
        steps.append(Step(name, place, len(candidates), None if best is None else best.score))

    answer = recaller.watch(query, see)
    if steps:
        places = [place for place, hit in enumerate(answer.hits, 1) if hit.docid == docid]
        hit = answer.hits[places[0] - 1] if places else None
        steps.append(Step(RESULTS, places[0] if places else None, len(answer.hits), None if hit is None else hit.score))
    return Followed(tuple(lanes), tuple(steps))


def _ask_lanes(context: Context, docid: str) -> list[Step]:
    stored = context.reader.document(docid)
    own = set() if stored is None else {fragment.id for fragment in context.reader.fragments_of(stored.id)}
    found = []
    for lane in find_recipe(context.query.recipe).lanes:
        ids = list(lane(context).find())
        if ids:
            place = next((place for place, fragment in enumerate(ids, 1) if fragment in own), None)
            found.append(Step(lane.name, place, len(ids)))
    return found
