from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.testing import temporary_store
from hearth.vault.usage_statistics import UseStatistics, diversity, read_statistics, spacing


@pytest.mark.parametrize(
    ("queries", "days", "expected"), [(0, 0, 0.0), (1, 1, 0.2), (2, 1, 0.4), (1, 3, 0.6), (5, 2, 1.0), (90, 90, 1.0)]
)
def test_diversity_is_the_share_of_five_questions_or_days(queries: int, days: int, expected: float) -> None:
    assert diversity(queries, days) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ((), 0.0),
        (("2026-03-05",), 0.2),
        (("2026-03-05", "2026-03-06"), 0.30115),
        (("2026-03-05", "2026-03-12"), 0.68687),
        (("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"), 0.80714),
        (("2026-03-01", "2026-03-03", "2026-03-05", "2026-03-07", "2026-03-09"), 1.0),
        (("yesterday", "2026-03-05", "2026-13-99"), 0.2),
    ],
)
def test_spacing_grows_with_days_and_span(days: tuple[str, ...], expected: float) -> None:
    assert spacing(days) == pytest.approx(expected, abs=1e-5)


@given(st.lists(st.dates().map(str), max_size=20), st.dates().map(str))
def test_another_day_never_lowers_the_spacing(days: list[str], other: str) -> None:
    assert 0 <= spacing(days) <= spacing([*days, other]) <= 1
    assert spacing(days) == spacing(reversed(days))


def test_what_was_never_used_has_no_statistics() -> None:
    with temporary_store().read() as reader:
        assert read_statistics(reader, "0" * 16) == UseStatistics()
