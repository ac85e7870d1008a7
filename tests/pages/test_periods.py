from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.pages.summaries import periods_of, read_period


@given(st.dates(date(1, 1, 8), date(9999, 11, 30)))
def test_a_date_lies_in_its_week_and_its_month_which_are_known_by_their_keys(day: date) -> None:
    week, month = periods_of(day)
    assert week.first <= day <= week.last and month.first <= day <= month.last
    assert (week.last - week.first).days == 6 and week.first.isoweekday() == 1
    assert month.first.day == 1 and month.last.month == day.month
    assert read_period(week.key) == week and read_period(month.key) == month


def test_weeks_of_a_year_begin_with_that_of_its_first_thursday() -> None:
    week, month = periods_of(date(2027, 1, 3))
    assert (week.key, month.key) == ("2026-W53", "2027-01")
    assert week.title == "Week 53 of 2026 (2026-12-28 to 2027-01-03)"
    assert month.title == "January 2027"


@pytest.mark.parametrize("key", ["", "2026", "2026-13", "2026-W54", "2026-W00", "0000-01", "../2026-01", "2026-W10 "])
def test_what_names_no_period_is_none(key: str) -> None:
    assert read_period(key) is None
