from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.benchmark.confidence import reach, separate

VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=30)


@given(VALUES, VALUES)
def test_the_area_counts_pairs_and_half_of_the_ties(own: list[float], other: list[float]) -> None:
    pairs = sum((one > two) + (one == two) / 2 for one in own for two in other)
    assert separate(own, other) == pytest.approx(pairs / (len(own) * len(other)))


@given(VALUES, st.floats(0.01, 1))
def test_a_share_reaches_the_greatest_value_that_so_many_reach(values: list[float], share: float) -> None:
    least = reach(values, share)
    assert sum(value >= least for value in values) >= share * len(values) - 1e-9
    assert all(sum(value >= higher for value in values) < share * len(values) for higher in values if higher > least)


def test_nineteen_of_twenty_are_kept_where_95_percent_must_be() -> None:
    assert reach([n / 20 for n in range(20)], 0.95) == pytest.approx(0.05)
