from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.instants import noon
from hearth.language.signals import absolute, dates, due_at

SAID = date(2026, 3, 4)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("by Friday", date(2026, 3, 6)),
        ("next Wednesday", date(2026, 3, 11)),
        ("last Friday", date(2026, 2, 27)),
        ("tomorrow", date(2026, 3, 5)),
        ("antes del viernes", date(2026, 3, 6)),
        ("bis Donnerstag", date(2026, 3, 5)),
        ("avant lundi", date(2026, 3, 9)),
        ("até amanhã", date(2026, 3, 5)),
        ("entro fine mese", date(2026, 3, 31)),
        ("by the end of the week", date(2026, 3, 6)),
        ("in two weeks", date(2026, 3, 18)),
        ("on June 9", date(2026, 6, 9)),
        ("on 3 February", date(2026, 2, 3)),
        ("on October 3, 2025", date(2025, 10, 3)),
        ("am 14. Juni", date(2026, 6, 14)),
        ("2026-04-01", date(2026, 4, 1)),
        ("до пятницы", date(2026, 3, 6)),
        ("明天", date(2026, 3, 5)),
        ("last night", date(2026, 3, 3)),
        ("two weeks ago", date(2026, 2, 18)),
        ("a week ago", date(2026, 2, 25)),
        ("hace 3 días", date(2026, 3, 1)),
        ("vor zwei Wochen", date(2026, 2, 18)),
        ("il y a une semaine", date(2026, 2, 25)),
        ("tre giorni fa", date(2026, 3, 1)),
        ("last Fri", date(2026, 2, 27)),
        ("by Thu", date(2026, 3, 5)),
    ],
)
def test_a_phrase_means_the_day_that_somebody_means_who_says_it_on_that_date(text: str, day: date) -> None:
    assert [item.day for item in dates(text, SAID)] == [day]


def test_only_what_the_day_of_speaking_explains_is_made_absolute() -> None:
    assert absolute("call tomorrow, meet on June 9", SAID) == "call tomorrow (2026-03-05), meet on June 9"


def test_mornings_in_general_and_days_that_do_not_exist_are_no_dates() -> None:
    assert dates("Monday mornings, Fridays, February 31, we sat on the sun deck, years ago", SAID) == []


@pytest.mark.parametrize(
    "text",
    ["I'll pay it by March 1", "before the 1st of March", "lo pago antes del 1 de marzo", "ich zahle bis zum 1. März",
     "je paie avant le 1er mars", "pago até 1 de março", "pago entro il 1 marzo", "заплачу до 1 марта"],
)  # fmt: skip
def test_a_day_that_is_over_by_which_something_is_promised_is_the_next_such_day(text: str) -> None:
    assert due_at(text, SAID) == noon(date(2027, 3, 1))


@pytest.mark.parametrize("text", ["it broke on March 1", "by March 1, 2026", "by 2026-03-01", "by last Friday"])
def test_a_day_that_is_over_is_no_limit_where_it_is_told_or_has_its_year(text: str) -> None:
    assert due_at(text, SAID) is None


def test_a_weekday_by_which_something_is_promised_on_the_day_after_is_that_of_next_week() -> None:
    assert due_at("I'll send it by Friday", date(2026, 3, 7)) == noon(date(2026, 3, 13))


def test_what_is_past_is_not_due() -> None:
    assert due_at("I finished it yesterday", SAID) is None


@given(st.text(max_size=80), st.dates())
def test_any_text_on_any_day_is_read_without_an_error(text: str, said: date) -> None:
    assert absolute(text, said).startswith(text[:1])
