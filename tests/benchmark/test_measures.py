from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.benchmark.measures import (
    Gold,
    Window,
    any_at,
    coverage,
    interval,
    ndcg_at,
    quantile,
    recall_at,
    reciprocal_rank,
)

GOLD = (Gold("a.md", 5, 8), Gold("b.md", 1, 2))
paths = st.sampled_from(["a.md", "b.md", "c.md"])
lines = st.integers(1, 20)
spans = st.tuples(paths, lines, lines).map(lambda s: (s[0], min(s[1:]), max(s[1:])))
windows = st.lists(spans.map(lambda s: Window(*s)), max_size=12)
golds = st.lists(spans.map(lambda s: Gold(*s)), min_size=1, max_size=4)


def test_recall_counts_the_passages_that_the_first_windows_touch() -> None:
    found = [Window("c.md", 1, 9), Window("a.md", 8, 12), Window("b.md", 2, 2)]
    assert [recall_at(found, GOLD, k) for k in (1, 2, 3)] == [0.0, 0.5, 1.0]
    assert [any_at(found, GOLD, k) for k in (1, 2)] == [0.0, 1.0]


def test_a_window_that_ends_before_the_passage_does_not_touch_it() -> None:
    assert recall_at([Window("a.md", 1, 4), Window("a.md", 9, 30)], GOLD[:1], 10) == 0.0


def test_ndcg_and_reciprocal_rank_count_a_document_once() -> None:
    found = [Window("c.md", 1, 1), Window("c.md", 2, 2), Window("a.md", 1, 1)]
    assert reciprocal_rank(found, GOLD[:1]) == 0.5
    assert ndcg_at(found, GOLD[:1], 10) == pytest.approx(0.6309, abs=1e-4)  # 1 / log2(3)


def test_coverage_is_the_share_of_gold_lines_held() -> None:
    assert coverage([Window("a.md", 7, 20)], GOLD, {}) == pytest.approx(2 / 6)


def test_open_ended_gold_stops_at_the_end_of_its_file() -> None:
    gold = [Gold("a.md", 1, 100_000)]
    assert coverage([Window("a.md", 1, 5)], gold, {"a.md": 10}) == 0.5


@given(windows, golds)
@settings(max_examples=100)
def test_every_measure_lies_between_nothing_and_all_and_grows_with_k(found: list[Window], gold: list[Gold]) -> None:
    values = [ndcg_at(found, gold, 10), reciprocal_rank(found, gold), coverage(found, gold, {})]
    values += [measure(found, gold, k) for measure in (recall_at, any_at) for k in (1, 5, 10)]
    assert all(0.0 <= value <= 1.0 for value in values)
    assert recall_at(found, gold, 1) <= recall_at(found, gold, 5) <= recall_at(found, gold, 10)


@given(golds)
@settings(max_examples=50)
def test_the_gold_itself_is_a_perfect_answer(gold: list[Gold]) -> None:
    found = [Window(g.path, g.start, g.end) for g in gold]
    assert recall_at(found, gold, 10) == reciprocal_rank(found, gold) == coverage(found, gold, {}) == 1.0
    assert ndcg_at(found, gold, 10) == pytest.approx(1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
@settings(max_examples=30)
def test_the_interval_holds_the_mean_and_is_the_same_each_time(values: list[float]) -> None:
    low, high = interval(values)
    assert low - 0.05 <= sum(values) / len(values) <= high + 0.05
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert interval(values) == (low, high)


def test_nothing_measured_has_an_empty_interval_and_quantile() -> None:
    assert interval([]) == (0.0, 0.0)
    assert quantile([], 0.5) == 0.0


def test_quantiles_are_values_that_occurred() -> None:
    assert [quantile([1.0, 2.0, 3.0, 4.0], share) for share in (0.0, 0.5, 0.95, 1.0)] == [1.0, 3.0, 4.0, 4.0]
