"""Several queries asked as one: within one deadline, one limit and one budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.context.queries import Derived, gathered
from hearth.core.query import Query, Recall

QUERIES = [
    Derived("rye bread starter", "ask"),
    Derived("pear tree pruning", "ask"),
    Derived("where does the dinghy leak", "message"),
]


class Clocked:
    """A vault that is asked for real, and whose answers took as long as they are said to: so many ms, or such a part
    of the time that they were given."""

    def __init__(self, vault: Any, took: float = 1.0, parts: tuple[float, ...] = ()) -> None:
        self.vault = vault
        self.took = took
        self.parts = list(parts)
        self.deadlines: list[int | None] = []
        self.spent = 0.0

    def __call__(self, query: Query) -> Recall:
        self.deadlines.append(query.deadline_ms)
        took = self.parts.pop(0) * (query.deadline_ms or 0) if self.parts else self.took
        self.spent += took
        return replace(self.vault.recall(query), took_ms=took)

    def gather(self, **given: Any) -> list[Any]:
        base = replace(self.vault.query(""), **given)
        return gathered(QUERIES, base, self, self.vault.store)


def test_each_query_gets_an_equal_share_of_what_is_left_of_the_deadline(house: Any) -> None:
    quick, slow = Clocked(house.vault, 30), Clocked(house.vault, 60)
    assert quick.gather(deadline_ms=100)
    assert quick.deadlines == [33, 35, 40]
    assert slow.gather(deadline_ms=100)
    assert slow.deadlines == [33, 20, 0]


def test_without_a_deadline_no_query_has_one(house: Any) -> None:
    clocked = Clocked(house.vault)
    clocked.gather()
    assert clocked.deadlines == [None, None, None]


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 5_000), st.tuples(*[st.floats(0, 1)] * 3))
def test_queries_that_keep_to_their_shares_keep_to_the_deadline(
    house: Any, deadline: int, parts: tuple[float, ...]
) -> None:
    clocked = Clocked(house.vault, parts=parts)
    clocked.gather(deadline_ms=deadline)
    assert clocked.spent <= deadline


@pytest.mark.parametrize("budget", [None, 2_000])
def test_all_answers_together_keep_to_the_limit(house: Any, budget: int | None) -> None:
    assert len(Clocked(house.vault).gather(budget_tokens=budget)) >= 3
    assert len(Clocked(house.vault).gather(budget_tokens=budget, limit=2)) == 2
