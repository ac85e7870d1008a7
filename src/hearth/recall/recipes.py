"""Recipes: the only place that orders lanes and stages."""

from __future__ import annotations

from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.recall.interfaces import Lane, Select, Stage
from hearth.recall.kind_lanes import KindLane, RuleLane
from hearth.recall.lanes import EntityLane, KeywordLane, NameLane, PhraseLane, SubstringLane, VectorLane
from hearth.recall.selection import (
    drop_headers,
    keep_asked,
    keep_eligible,
    keep_named,
    keep_phrases,
    keep_true_then,
    put_own_first,
)
from hearth.recall.stages.cut import CutStage, GateStage, UnansweredStage
from hearth.recall.stages.dates import DatedStage, NamesakeStage
from hearth.recall.stages.latest import AgeStage, LatestStage
from hearth.recall.stages.newest import NewestStage
from hearth.recall.stages.pack import DiversifyStage, OutlineStage, PackStage
from hearth.recall.stages.standing import (
    CopiesStage,
    DoubtStage,
    EchoStage,
    PriorStage,
    QuotesStage,
    RerankStage,
    StandingStage,
)
from hearth.recall.stages.walk import WalkStage
from hearth.recall.time_lanes import SessionLane, TimeLane


@dataclass(frozen=True, slots=True)
class Recipe:
    """``lanes`` find and judge, of ``unasked`` recipes in the collections that may be brought up; ``selection`` leaves
    out what can't be an answer; ``stages`` then reorder, thin out and pack. All in their order. ``shown`` lanes judge
    for the explanation alone; ``pending`` memories are found, too; ``expands`` where a model may give other words."""

    name: str
    lanes: tuple[type[Lane], ...]
    stages: tuple[Stage, ...]
    selection: tuple[Select, ...] = (keep_phrases, put_own_first, keep_true_then, keep_asked, drop_headers)
    shown: tuple[type[Lane], ...] = ()
    unasked: bool = False
    pending: bool = False
    expands: bool = False

    @property
    def by_meaning(self) -> bool:
        """Whether the question's vector is needed."""
        return VectorLane in self.lanes


_WORDS = (KeywordLane, SubstringLane)
_TIMED = (TimeLane, SessionLane)
_NAMED = (*_WORDS, NameLane, PhraseLane, KindLane, *_TIMED)
_ALL = (*_NAMED, VectorLane)
_MENTIONED = (*_ALL, EntityLane)
_ORDERED = (
    PriorStage(),
    AgeStage(),
    DatedStage(),
    NamesakeStage(),
    EchoStage(),
    DiversifyStage(),
    LatestStage(),
    CopiesStage(),
    StandingStage(),
    NewestStage(),
    DoubtStage(),
)
_ASKED = (*_ORDERED, QuotesStage(), CutStage(), PackStage())
_WALKED = (*_ASKED[:-1], WalkStage(), _ASKED[-1])
# Where nobody asked, what was put off or belongs to other projects stays out, and more must speak for an answer.
_UNASKED = (keep_phrases, keep_named, keep_eligible, keep_asked, drop_headers)
_THINNED = (
    *_ORDERED,
    UnansweredStage(),
    QuotesStage(unasked=True),
    GateStage(),
    PackStage(),
)

RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("keyword", _NAMED, _ASKED, pending=True),
        Recipe("semantic", (VectorLane, *_TIMED), _ASKED, shown=_WORDS, pending=True),
        Recipe("hybrid", _MENTIONED, (RerankStage(), *_ASKED), pending=True, expands=True),
        Recipe("intent", _MENTIONED, (RerankStage(), *_WALKED), pending=True, expands=True),
        Recipe("outline", _ALL, (RerankStage(), PriorStage(), CutStage(cuts=False), OutlineStage())),
        Recipe("surface", (*_ALL, RuleLane), _THINNED, _UNASKED, unasked=True),
        Recipe("surface-speed", (*_NAMED, RuleLane), _THINNED, _UNASKED, unasked=True),
        Recipe("surface-deep", (*_ALL, RuleLane), (RerankStage(), *_THINNED), _UNASKED, unasked=True),
    )
}


def find_recipe(name: str) -> Recipe:
    """Raises ``UsageError`` for a name that there is not."""
    if name not in RECIPES:
        raise UsageError(f"unknown recipe {name!r}; choose one of {', '.join((*RECIPES, 'plan'))}")
    return RECIPES[name]
