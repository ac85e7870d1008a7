"""Recipes: a lane or a stage is its own class and its place in a list, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from hearth.core.query import Query, Recall
from hearth.recall.interfaces import CandidateColumns, Context, Lane, Pool, RankingSettings, Stage, Vote, Votes
from hearth.recall.lanes import KeywordLane
from hearth.recall.recall import RECIPES, Recaller, Recipe
from hearth.recall.stages.cut import CutStage
from hearth.recall.stages.pack import PackStage


class NewestLane(Lane):
    """Finds the fragments that came last, and thinks the more of them the later they came."""

    name = "newest"

    def __init__(self, context: Context) -> None:
        self._context = context

    def find(self) -> Sequence[int]:
        return [fragment.id for fragment in self._context.reader.fragments_after(0, 1_000)][-2:]

    def judge(self, columns: CandidateColumns) -> Votes | None:
        last = max(columns.fragments)
        return Votes.collect(Vote(fragment / last, 1.0, float(fragment)) for fragment in columns.fragments)


@dataclass(frozen=True)
class ReverseStage(Stage):
    name: ClassVar[str] = "reverse"
    needs: bool = True

    def applies(self, context: Context) -> bool:
        return self.needs

    def __call__(self, context: Context, pool: Pool) -> Pool:
        return replace(pool, candidates=pool.candidates[::-1], trace={**pool.trace, "reversed": len(pool.candidates)})


@dataclass(frozen=True)
class EmptyStage(Stage):
    name: ClassVar[str] = "empty"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        assert pool.candidates
        return pool.hold([], "nothing pleases this stage")


@pytest.fixture
def ask(box: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    for number in range(4):
        box.write(f"{number}.md", f"The amber lamp of room {number}.\n" if number < 2 else f"Basalt {number}.\n")
        box.sync()

    def answer(text: str, recipe: Recipe) -> Recall:
        monkeypatch.setitem(RECIPES, recipe.name, recipe)
        recaller = Recaller(box.store, None, RankingSettings())
        return recaller(Query(text, at=box.now, recipe=recipe.name, explain=True))

    return answer


def paths(answer: Recall) -> list[str]:
    return [hit.path for hit in answer.hits]


def test_a_lane_that_a_recipe_names_finds_judges_and_is_explained(ask: Any) -> None:
    stages = (CutStage(), PackStage())
    assert set(paths(ask("amber lamp", Recipe("words", (KeywordLane,), stages)))) == {"0.md", "1.md"}
    found = ask("amber lamp", Recipe("newest", (KeywordLane, NewestLane), stages))
    assert set(paths(found)) == {"0.md", "1.md", "2.md", "3.md"}
    assert all([score.lane for score in hit.explain.lanes] == ["keyword", "newest"] for hit in found.hits)
    assert found.trace["lanes"] == ["keyword", "newest"]


def test_a_lane_that_is_only_shown_finds_nothing_and_has_no_say(ask: Any) -> None:
    stages = (CutStage(), PackStage())
    plain = ask("amber lamp", Recipe("words", (KeywordLane,), stages))
    shown = ask("amber lamp", Recipe("shown", (KeywordLane,), stages, shown=(NewestLane,)))
    assert [(hit.path, hit.score) for hit in shown.hits] == [(hit.path, hit.score) for hit in plain.hits]
    assert all([score.lane for score in hit.explain.lanes] == ["newest", "keyword"] for hit in shown.hits)


def test_a_stage_that_a_recipe_names_runs_in_its_place_and_is_told(ask: Any) -> None:
    plain = ask("amber lamp", Recipe("words", (KeywordLane,), (PackStage(),)))
    turned = ask("amber lamp", Recipe("turned", (KeywordLane,), (ReverseStage(), PackStage())))
    assert paths(turned) == paths(plain)[::-1]
    assert turned.trace["stages"] == ["reverse", "pack"]
    assert turned.trace["reversed"] == 2


def test_a_stage_that_this_vault_has_nothing_for_is_passed_over(ask: Any) -> None:
    answer = ask("amber lamp", Recipe("idle", (KeywordLane,), (ReverseStage(needs=False), PackStage())))
    assert answer.trace["stages"] == ["pack"]
    assert "reversed" not in answer.trace


def test_a_stage_that_leaves_nothing_says_why_and_ends_the_recipe(ask: Any) -> None:
    answer = ask("amber lamp", Recipe("none", (KeywordLane,), (EmptyStage(), EmptyStage(), PackStage())))
    assert (answer.hits, answer.reason) == ((), "nothing pleases this stage")
