"""A walk along relations from the documents that answer best: personalised PageRank with a bounded frontier. Pure.

Page, Brin, Motwani, Winograd: The PageRank Citation Ranking (1999), section 6, with a restart of one half and four
rounds: what is further away than that would get less than a sixteenth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from math import fsum
from typing import NamedTuple

from hearth.core.graph import SYMMETRIC, TYPES, DocumentRelation, QuestionClass
from hearth.core.lazy import dataclass

RESTART = 0.5
ROUNDS = 4
MOST_EDGES = 20
"""Of one document, the heaviest."""
MOST_NODES = 25
"""Whose relations are looked up: the seeds, and those of which most flows into them."""
BACKWARDS = 0.5
"""What a relation against its direction counts."""
LONGEST_PATH = 4
_OTHER, _USAGE = 0.5, 0.2
# What a relation weighs by what is asked, as in multi-graph retrieval: the greatest of a row is 1.
_WEIGHTS: Mapping[QuestionClass, Mapping[str, float]] = {
    "why": {"causal": 1.0, "semantic": 0.4, "temporal": 0.1, "entity": 0.2},
    "when": {"causal": 0.2, "semantic": 0.4, "temporal": 1.0, "entity": 0.1},
    "entity": {"causal": 1 / 3, "semantic": 0.5, "temporal": 1 / 6, "entity": 1.0},
    "what": {"causal": 0.2, "semantic": 1.0, "temporal": 0.2, "entity": 0.4},
}

Expand = Callable[[Sequence[str]], Iterable[DocumentRelation]]
"""The relations that have one of the documents at either end."""


class WalkStep(NamedTuple):
    """One relation on the way to a document; ``backwards`` where it is gone against its direction."""

    relation: DocumentRelation
    backwards: bool

    @property
    def source(self) -> str:
        return self.relation.target if self.backwards else self.relation.source

    @property
    def target(self) -> str:
        return self.relation.source if self.backwards else self.relation.target


@dataclass(frozen=True, slots=True)
class WalkHit:
    """A document that the walk came to: ``share`` in (0, 1], 1 for where most flows in; ``path`` leads there from the
    seed that the most comes from."""

    docid: str
    share: float
    path: tuple[WalkStep, ...]

    @property
    def seed(self) -> str:
        return self.path[0].source


_Weighed = tuple[float, DocumentRelation, bool]
"""What a relation counts from one of its ends, and whether that is its target."""


class _Edge(NamedTuple):
    step: WalkStep
    target: str
    share: float


def walk(seeds: Mapping[str, float], expand: Expand, asked: QuestionClass) -> list[WalkHit]:
    """What flows into documents from the seeds (docid -> weight, 0 and more), the most first. Nothing without
    relations. ``expand`` is asked about each document once."""
    total = fsum(seeds.values())
    if total <= 0:
        return []
    start = {docid: weight / total for docid, weight in seeds.items() if weight > 0}
    mass, edges = dict(start), dict[str, list[_Edge]]()
    inflow: dict[str, dict[int, float]] = {}
    steps: list[WalkStep] = []
    for _ in range(ROUNDS):
        _expand(mass, edges, expand, asked)
        inflow, steps = _flow(mass, edges)
        mass = {docid: RESTART * weight for docid, weight in start.items()}
        for docid, flows in inflow.items():
            mass[docid] = mass.get(docid, 0.0) + fsum(flows.values())
    best = {docid: steps[max(sorted(flows), key=lambda at: flows[at])] for docid, flows in inflow.items()}
    paths = {docid: path for docid in inflow if (path := _path(docid, best, start))}
    flow = {docid: fsum(inflow[docid].values()) for docid in paths}
    most = max(flow.values(), default=0.0)
    # Rounded, so that equal flows stay equal however they were summed.
    found = (WalkHit(docid, round(flow[docid] / most, 9), path) for docid, path in paths.items())
    return sorted((one for one in found if one.share > 0), key=lambda one: (-one.share, one.docid))


def weigh(asked: QuestionClass, step: WalkStep) -> float:
    """What a step counts for a class of questions, before it is shared among the steps from the same document."""
    return _factor(asked, step.relation.type, backwards=step.backwards) * step.relation.weight


def _expand(mass: Mapping[str, float], edges: dict[str, list[_Edge]], expand: Expand, asked: QuestionClass) -> None:
    """Adds the edges of documents that the walk came to newly, the heaviest documents first."""
    new = sorted((docid for docid in mass if docid not in edges), key=lambda docid: (-mass[docid], docid))
    new = new[: MOST_NODES - len(edges)]
    if not new:
        return
    factors = {kind: (_factor(asked, kind), _factor(asked, kind, backwards=True)) for kind in TYPES}
    around: dict[str, list[_Weighed]] = {docid: [] for docid in new}
    for relation in expand(new):
        source, kind, target = relation.source, relation.type, relation.target
        if source == target or kind not in factors:
            continue
        on, back = factors[kind]
        if source in around:
            around[source].append((on * relation.weight, relation, False))
        if target in around:
            around[target].append((back * relation.weight, relation, True))
    for docid, weighed in around.items():
        edges[docid] = list(_share(weighed))


def _factor(asked: QuestionClass, kind: str, *, backwards: bool = False) -> float:
    """What a relation's weight is multiplied by."""
    factor = _WEIGHTS[asked].get(kind, _USAGE if kind == "usage" else _OTHER)
    against = backwards and kind not in SYMMETRIC and not (kind == "causal" and asked == "why")
    return factor * BACKWARDS if against else factor


def _share(weighed: Sequence[_Weighed]) -> Iterator[_Edge]:
    least = min(nlargest(MOST_EDGES, (weight for weight, _, _ in weighed)), default=0.0)
    heavy = [one for one in weighed if one[0] > 0 and one[0] >= least]
    kept = sorted(heavy, key=lambda one: (-one[0], one[1].key, one[2]))[:MOST_EDGES]
    total = fsum(weight for weight, _, _ in kept)
    for weight, relation, backwards in kept:
        step = WalkStep(relation, backwards)
        yield _Edge(step, step.target, weight / total)


def _flow(
    mass: Mapping[str, float], edges: Mapping[str, Sequence[_Edge]]
) -> tuple[dict[str, dict[int, float]], list[WalkStep]]:
    """What flows into each document by each of the steps, which are given by their numbers."""
    inflow: dict[str, dict[int, float]] = {}
    steps: list[WalkStep] = []
    for docid in sorted(edges):
        own = (1 - RESTART) * mass.get(docid, 0.0)
        if own <= 0:
            continue
        for step, target, share in edges[docid]:
            inflow.setdefault(target, {})[len(steps)] = own * share
            steps.append(step)
    return inflow, steps


def _path(docid: str, best: Mapping[str, WalkStep], seeds: Mapping[str, float]) -> tuple[WalkStep, ...]:
    """Back along what brought the most; from a document that is a seed itself at least one step. Empty where that goes
    in a circle, or leads further than a walk does."""
    path: list[WalkStep] = []
    at = docid
    while len(path) < LONGEST_PATH and at in best and (not path or at not in seeds):
        path.append(best[at])
        at = best[at].source
        if at == docid:
            break
    return tuple(reversed(path)) if at in seeds and at != docid else ()
