"""Notes of days, by the names that apps give them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core import instants
from hearth.markdown.origins import Day, day_of
from hearth.ports import DailyNotes

NOON = instants.noon(date(2026, 11, 21))


@pytest.mark.parametrize(
    ("folder", "form", "path"),
    [
        ("", "DD-MM-YYYY", "21-11-2026.md"),
        ("Journal", "YYYY/MM-MMMM/YYYY-MM-DD-dddd", "Journal/2026/11-November/2026-11-21-Saturday.md"),
        ("Journal", "YYYY/MM/DD", "Journal/2026/11/21.md"),
        ("", "dddd, MMMM Do YYYY", "Saturday, November 21st 2026.md"),
        ("Días", "dddd D [de] MMMM [de] YYYY", "Días/sábado 21 de noviembre de 2026.md"),
        ("", "YY.M.D", "26.11.21.md"),
        ("d", "[Day ]YYYYMMDD", "d/Day 20261121.md"),
        ("d", "gggg-[W]ww/ddd D. MMM YYYY", "d/2026-W47/Sa. 21. Nov 2026.md"),
        ("", "D MMMM YYYY", "21 août 2026.md"),
    ],
)
def test_a_name_in_the_form_is_the_day_it_says(folder: str, form: str, path: str) -> None:
    noon = instants.noon(date(2026, 8, 21)) if "août" in path else NOON
    assert day_of(path, [DailyNotes(folder, form)]) == Day(noon)


@pytest.mark.parametrize(
    "path", ["21-11-2026 plan.md", "x/21-11-2026.md", "2026-11-21.md", "Journal.md", "21-11-2026/a.md"]
)
def test_any_other_name_is_none(path: str) -> None:
    assert day_of(path, [DailyNotes("", "DD-MM-YYYY")]) is None


def test_a_name_in_the_form_without_a_date_is_a_day_undated() -> None:
    assert day_of("31-02-2026.md", [DailyNotes("", "DD-MM-YYYY")]) == Day(None)
    assert day_of("week 12.md", [DailyNotes("", "[week] w")]) == Day(None)


def test_the_place_of_the_vault_counts() -> None:
    assert day_of("v/J/21-11-2026.md", [DailyNotes("J", "DD-MM-YYYY", below="v")]) == Day(NOON)
    assert day_of("J/21-11-2026.md", [DailyNotes("J", "DD-MM-YYYY", below="v")]) is None
    assert day_of("21-11-2026.md", [DailyNotes("J", "DD-MM-YYYY", above="J")]) == Day(NOON)


@given(st.dates(date(2000, 1, 1), date(2099, 12, 31)), st.sampled_from(["%Y/%m/%d", "%d.%m.%y", "%Y%m%d", "%B %d %Y"]))
def test_every_date_is_read_back(day: date, form: str) -> None:
    forms = {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%y": "YY", "%B": "MMMM"}
    moment = form
    for ours, theirs in forms.items():
        moment = moment.replace(ours, theirs)
    assert day_of(f"{day:{form}}.md", [DailyNotes("", moment)]) == Day(instants.noon(day))
    assert day_of(f"{day + timedelta(1):{form}}.md", [DailyNotes("", moment)]) != Day(instants.noon(day))


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
def test_no_form_and_no_name_raises(folder: str, form: str, path: str) -> None:
    day_of(path, [DailyNotes(folder, form)])
