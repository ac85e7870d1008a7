"""The walk along relations."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import DocumentRelation, QuestionClass
from hearth.graph.walk import MOST_EDGES, MOST_NODES, WalkHit, WalkStep, walk, weigh

CLASSES: tuple[QuestionClass, ...] = ("why", "when", "entity", "what")


class _Map:
    """Relations, and how often each document was asked about."""

    def __init__(self, *relations: DocumentRelation) -> None:
        self.relations = relations
        self.asked: list[str] = []

    def __call__(self, docids: Sequence[str]) -> Iterable[DocumentRelation]:
        self.asked += docids
        return [one for one in self.relations if one.source in docids or one.target in docids]


def causal(source: str, target: str, weight: float = 1.0) -> DocumentRelation:
    return DocumentRelation(source, "causal", target, weight)


def test_without_relations_or_seeds_nothing_is_reached() -> None:
    assert walk({"a": 1.0}, _Map(), "why") == []
    assert walk({}, _Map(causal("a", "b")), "why") == []
    assert walk({"a": 0.0}, _Map(causal("a", "b")), "why") == []


def test_a_chain_is_followed_and_each_document_names_the_way_to_it() -> None:
    found = walk({"a": 1.0}, _Map(causal("a", "b"), causal("b", "c"), causal("c", "d")), "what")
    assert [one.docid for one in found] == ["b", "c", "d"]
    assert found[0].share == 1.0
    assert [(step.source, step.target) for step in found[2].path] == [("a", "b"), ("b", "c"), ("c", "d")]
    assert {one.seed for one in found} == {"a"}


def test_a_why_goes_from_effects_to_causes_as_easily_as_on() -> None:
    relation = causal("cause", "effect")
    on, back = WalkStep(relation, backwards=False), WalkStep(relation, backwards=True)
    assert weigh("why", on) == weigh("why", back) == 1.0
    assert weigh("what", back) == weigh("what", on) / 2
    alike = DocumentRelation("a", "semantic", "b", 1.0)
    assert weigh("what", WalkStep(alike, backwards=True)) == 1.0


@pytest.mark.parametrize(
    ("asked", "first"), [("why", "cause"), ("when", "before"), ("entity", "namesake"), ("what", "alike")]
)
def test_what_is_asked_decides_which_relations_lead(asked: QuestionClass, first: str) -> None:
    around = _Map(
        DocumentRelation("cause", "causal", "a"),
        DocumentRelation("before", "temporal", "a"),
        DocumentRelation("a", "entity", "namesake"),
        DocumentRelation("a", "semantic", "alike"),
        DocumentRelation("a", "usage", "used"),
    )
    assert walk({"a": 1.0}, around, asked)[0].docid == first


def test_of_a_hub_only_the_heaviest_relations_count_and_the_frontier_is_bounded() -> None:
    hub = [causal("hub", f"n{number:04}", 1 - number / 10_000) for number in range(5_000)]
    found = walk({"hub": 1.0}, _Map(*hub), "why")
    assert [one.docid for one in found] == [f"n{number:04}" for number in range(MOST_EDGES)]
    wide = [causal(f"x{a}", f"x{a * MOST_EDGES + b + 1}") for a in range(400) for b in range(MOST_EDGES)]
    around = _Map(*wide)
    walk({"x0": 1.0}, around, "why")
    assert len(around.asked) == len(set(around.asked)) == MOST_NODES


def test_a_seed_is_reached_from_others_alone() -> None:
    found = {one.docid: one for one in walk({"a": 0.9, "b": 0.1}, _Map(causal("a", "b")), "why")}
    assert found["b"].seed == "a"
    assert [(step.source, step.backwards) for step in found["a"].path] == [("b", True)]


@given(st.integers(0, 10_000), st.sampled_from(CLASSES))
def test_any_graph_gives_shares_and_paths_that_begin_at_a_seed_and_join(seed: int, asked: QuestionClass) -> None:
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(8)]
    kinds = ("causal", "semantic", "references", "usage", "temporal")
    relations = [
        DocumentRelation(rng.choice(names), rng.choice(kinds), rng.choice(names), rng.random()) for _ in range(20)
    ]
    seeds = {name: rng.random() for name in rng.sample(names, 3)}
    found = walk(seeds, _Map(*relations), asked)
    assert found == walk(dict(reversed(seeds.items())), _Map(*reversed(relations)), asked)
    for one in found:
        _check(one, seeds)


def _check(one: WalkHit, seeds: dict[str, float]) -> None:
    assert 0 < one.share <= 1
    assert one.path
    assert one.seed in seeds
    assert one.path[-1].target == one.docid
    assert all(before.target == after.source for before, after in zip(one.path, one.path[1:], strict=False))
