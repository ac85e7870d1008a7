"""Dates that depend on what their writer puts first are never missed."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from hearth.text.written_dates import date_of_name, find_dates, may_be_ambiguous, read_date

PARTS = ("3", "04", "5", "12", "25", "2024", "1998", "24", "/", "-", ".", "_", " ", "notes", "on ", "May", "(", "\n")
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


@given(TEXTS)
@example("04/05/2024")
@example("seen on 3/4/24, again on 5-6-2024")
def test_a_text_that_reads_otherwise_by_another_order_is_told(text: str) -> None:
    differs = find_dates(text, "day", periods=True) != find_dates(text, "month", periods=True)
    differs = differs or read_date(text, "day") != read_date(text, "month")
    assert not differs or may_be_ambiguous(text, "note")


@given(TEXTS)
@example("journal/2024/meeting-03-05")
def test_a_path_that_reads_otherwise_by_another_order_is_told(path: str) -> None:
    differs = date_of_name(path, "day") != date_of_name(path, "month")
    assert not differs or may_be_ambiguous(path, path)


@given(TEXTS)
def test_dates_are_found_whether_or_not_a_text_names_a_year_besides(text: str) -> None:
    found = [(one.start, one.end, one.first) for one in find_dates(text, "day")]
    beside = [(one.start, one.end, one.first) for one in find_dates(f"{text}\nthe year 1999 x", "day")]
    assert found == [one for one in beside if one[1] <= len(text)]
