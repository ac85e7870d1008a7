from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.errors import UsageError
from hearth.text.time_expressions import date_words, is_recency, time_ranges

# A Wednesday.
AT = int(datetime(2024, 5, 1, 9, 30, tzinfo=UTC).timestamp() * 1000)


def _ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def _days(text: str) -> list[tuple[str, str]]:
    """Ranges as local ISO dates, the end inclusive."""
    found = time_ranges(text, AT, "UTC")
    start_end = [(item.start, item.end - 1) for item in found]
    return [tuple(datetime.fromtimestamp(ms // 1000, UTC).date().isoformat() for ms in pair) for pair in start_end]  # type: ignore[misc]


CASES = [
    ("what did I do today", "2024-05-01", "2024-05-01"),
    ("¿qué hice hoy?", "2024-05-01", "2024-05-01"),
    ("Yesterday's notes", "2024-04-30", "2024-04-30"),
    ("lo de ayer", "2024-04-30", "2024-04-30"),
    ("antier hablamos", "2024-04-29", "2024-04-29"),
    ("anteayer hablamos", "2024-04-29", "2024-04-29"),
    ("antes de ayer hablamos", "2024-04-29", "2024-04-29"),
    ("the day before yesterday", "2024-04-29", "2024-04-29"),
    ("due tomorrow", "2024-05-02", "2024-05-02"),
    ("reunión mañana", "2024-05-02", "2024-05-02"),
    ("pasado mañana", "2024-05-03", "2024-05-03"),
    ("the day after tomorrow", "2024-05-03", "2024-05-03"),
    ("last week", "2024-04-22", "2024-04-28"),
    ("this week", "2024-04-29", "2024-05-05"),
    ("next week", "2024-05-06", "2024-05-12"),
    ("la semana pasada", "2024-04-22", "2024-04-28"),
    ("la semana que viene", "2024-05-06", "2024-05-12"),
    ("la próxima semana", "2024-05-06", "2024-05-12"),
    ("esta semana", "2024-04-29", "2024-05-05"),
    ("last month", "2024-04-01", "2024-04-30"),
    ("el mes pasado", "2024-04-01", "2024-04-30"),
    ("este mes", "2024-05-01", "2024-05-31"),
    ("next month", "2024-06-01", "2024-06-30"),
    ("last year", "2023-01-01", "2023-12-31"),
    ("el año pasado", "2023-01-01", "2023-12-31"),
    ("este año", "2024-01-01", "2024-12-31"),
    ("3 days ago", "2024-04-28", "2024-04-28"),
    ("a day ago", "2024-04-30", "2024-04-30"),
    ("hace dos días", "2024-04-29", "2024-04-29"),
    ("hace 10 dias", "2024-04-21", "2024-04-21"),
    ("twelve days ago", "2024-04-19", "2024-04-19"),
    ("two weeks ago", "2024-04-14", "2024-04-20"),
    ("hace tres semanas", "2024-04-07", "2024-04-13"),
    ("a couple of days ago", "2024-04-27", "2024-05-01"),
    ("hace un par de días", "2024-04-27", "2024-05-01"),
    ("a few days ago", "2024-04-26", "2024-04-30"),
    ("hace unos días", "2024-04-26", "2024-04-30"),
    ("two months ago", "2024-03-01", "2024-03-31"),
    ("hace seis meses", "2023-11-01", "2023-11-30"),
    ("five years ago", "2019-01-01", "2019-12-31"),
    ("in 3 days", "2024-05-04", "2024-05-04"),
    ("dentro de dos días", "2024-05-03", "2024-05-03"),
    ("the last 7 days", "2024-04-24", "2024-05-01"),
    ("los últimos tres días", "2024-04-28", "2024-05-01"),
    ("the past week", "2024-04-24", "2024-05-01"),
    ("last Monday", "2024-04-29", "2024-04-29"),
    ("last Wednesday", "2024-04-24", "2024-04-24"),
    ("on Wednesday", "2024-05-01", "2024-05-01"),
    ("on Friday we talked", "2024-04-26", "2024-04-26"),
    ("next Friday", "2024-05-03", "2024-05-03"),
    ("this Friday", "2024-05-03", "2024-05-03"),
    ("el lunes pasado", "2024-04-29", "2024-04-29"),
    ("el miércoles pasado", "2024-04-24", "2024-04-24"),
    ("el viernes que viene", "2024-05-03", "2024-05-03"),
    ("el sábado", "2024-04-27", "2024-04-27"),
    ("in March", "2024-03-01", "2024-03-31"),
    ("in may", "2024-05-01", "2024-05-31"),
    ("en marzo", "2024-03-01", "2024-03-31"),
    ("in June", "2023-06-01", "2023-06-30"),
    ("next June", "2024-06-01", "2024-06-30"),
    ("last May", "2023-05-01", "2023-05-31"),
    ("in March 2022", "2022-03-01", "2022-03-31"),
    ("en marzo de 2022", "2022-03-01", "2022-03-31"),
    ("marzo del 2022", "2022-03-01", "2022-03-31"),
    ("May 2023", "2023-05-01", "2023-05-31"),
    ("the February report", "2024-02-01", "2024-02-29"),
    ("the May release", "2024-05-01", "2024-05-31"),
    ("May 5", "2023-05-05", "2023-05-05"),
    ("April 5th", "2024-04-05", "2024-04-05"),
    ("5 May 2023", "2023-05-05", "2023-05-05"),
    ("on 5 May", "2023-05-05", "2023-05-05"),
    ("5th of May", "2023-05-05", "2023-05-05"),
    ("May 5, 2022", "2022-05-05", "2022-05-05"),
    ("el 5 de mayo", "2023-05-05", "2023-05-05"),
    ("el 15 de abril de 2021", "2021-04-15", "2021-04-15"),
    ("Feb 29", "2024-02-29", "2024-02-29"),
    ("notes of 2024-03-15", "2024-03-15", "2024-03-15"),
    ("2024/03/15", "2024-03-15", "2024-03-15"),
    ("in 2024-03", "2024-03-01", "2024-03-31"),
    ("Q1 2024", "2024-01-01", "2024-03-31"),
    ("2023 Q4", "2023-10-01", "2023-12-31"),
    ("in Q3", "2023-07-01", "2023-09-30"),
    ("the first quarter of 2024", "2024-01-01", "2024-03-31"),
    ("el primer trimestre", "2024-01-01", "2024-03-31"),
    ("in 2023", "2023-01-01", "2023-12-31"),
    ("en 2023", "2023-01-01", "2023-12-31"),
    ("last night", "2024-04-30", "2024-05-01"),
    ("anoche", "2024-04-30", "2024-05-01"),
    ("this morning", "2024-05-01", "2024-05-01"),
    ("esta mañana", "2024-05-01", "2024-05-01"),
    ("last weekend", "2024-04-27", "2024-04-28"),
    ("over the weekend", "2024-04-27", "2024-04-28"),
    ("this weekend", "2024-05-04", "2024-05-05"),
    ("el fin de semana pasado", "2024-04-27", "2024-04-28"),
]


@pytest.mark.parametrize(("text", "first", "last"), CASES)
def test_a_phrase_names_its_days(text: str, first: str, last: str) -> None:
    assert _days(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "may I ask something",
        "May I ask something",
        "we march on",
        "the 2 may differ",
        "wait a second",
        "the second option",
        "me gusta la mañana",
        "trabajo por la mañana",
        "in 2000 files",
        "version 2024.1",
        "port 2023",
        "2024-13-45",
        "2024-02-31",
        "issue 2024-031",
        "sat on the sun deck",
        "los lunes",
        "a month of work",
        "the last straw",
        "",
    ],
)
def test_other_uses_of_the_same_words_name_no_time(text: str) -> None:
    assert time_ranges(text, AT, "UTC") == ()


def test_several_phrases_come_in_order_with_their_words() -> None:
    found = time_ranges("From Yesterday until next week, not in March 2023.", AT, "UTC")
    assert [item.phrase for item in found] == ["Yesterday", "next week", "in March 2023"]


def test_rounded_phrases_are_not_exact() -> None:
    texts = ("yesterday", "two weeks ago", "hace unos días", "in March")
    assert [time_ranges(text, AT, "UTC")[0].exact for text in texts] == [True, False, False, True]


def test_the_zone_decides_which_day_it_is() -> None:
    late = _ms("2024-05-01T02:00:00")
    assert date_words("today", late, "America/New_York") == ("2024-04-30",)
    (found,) = time_ranges("today", late, "America/New_York")
    assert (found.start, found.end) == (_ms("2024-04-30T04:00:00"), _ms("2024-05-01T04:00:00"))


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Auckland", "UTC", "Etc/GMT+12", "Asia/Kolkata"])
def test_a_dated_document_lies_in_its_own_day_in_every_zone(zone: str) -> None:
    for day in (date(2024, 1, 15) + timedelta(days=n) for n in range(3)):
        (found,) = time_ranges("2024-01-16", AT, zone)
        assert (found.start <= _ms(f"{day}T12:00:00") < found.end) == (day == date(2024, 1, 16))


def test_daylight_saving_days_have_their_true_length() -> None:
    (found,) = time_ranges("2024-03-31", AT, "Europe/Madrid")
    assert found.end - found.start == 23 * 3_600_000


def test_hours_ago_are_about_that_hour() -> None:
    (found,) = time_ranges("two hours ago", AT, "UTC")
    assert found.start < AT - 2 * 3_600_000 < found.end
    assert not found.exact


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hoy", ("2024-05-01",)),
        ("yesterday and today", ("2024-04-30", "2024-05-01")),
        ("last weekend", ("2024-04-27", "2024-04-28")),
        ("last night", ("2024-04-30", "2024-05-01")),
        ("in March", ("2024-03",)),
        ("in 2023", ()),
        ("nothing", ()),
    ],
)
def test_date_words_expand_to_iso_dates(text: str, words: tuple[str, ...]) -> None:
    assert date_words(text, AT, "UTC") == words


@pytest.mark.parametrize(
    "text",
    [
        "the latest decision",
        "what did we do last time",
        "most recent meeting",
        "where did we leave off?",
        "pick up where we left off",
        "what changed yesterday",
        "¿qué hicimos ayer?",
        "la última vez",
        "¿En qué quedamos?",
        "¿dónde nos quedamos?",
        "lo más reciente",
    ],
)
def test_recency_questions_are_recognised(text: str) -> None:
    assert is_recency(text)


@pytest.mark.parametrize("text", ["how do I deploy", "the last straw", "who plays bass", "at least once", ""])
def test_other_questions_are_not_about_recency(text: str) -> None:
    assert not is_recency(text)


def test_an_unknown_zone_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="Nowhere/Else"):
        time_ranges("today", AT, "Nowhere/Else")


@settings(max_examples=150, deadline=None)
@given(st.text() | st.lists(st.sampled_from([w for case in CASES for w in case[0].split()])).map(" ".join))
def test_any_text_gives_ordered_ranges(text: str) -> None:
    for item in time_ranges(text, AT, "Europe/Madrid"):
        assert item.start < item.end
    assert all(len(word) in (7, 10) for word in date_words(text, AT, "Europe/Madrid"))
    is_recency(text)


@pytest.mark.timeout(30)  # quadratic work on any of them takes minutes
@pytest.mark.parametrize("piece", ["last ", "1", "in ", "hace un par de ", "2024-"])
def test_long_texts_of_date_words_are_read_to_their_end(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    assert all(item.start < item.end for item in time_ranges(text, AT, "UTC"))
    is_recency(text)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("restore the database to yesterday noon", [False]),
        ("move the review to next Tuesday", [False]),
        ("what happened from last Monday to last Friday", [True, True]),
        ("del 3 de mayo al 5 de mayo", [True, True]),
        ("what did I say to Ana yesterday", [True]),
    ],
)
def test_what_something_is_brought_to_is_not_when_it_was_written(text: str, inside: list[bool]) -> None:
    assert [found.inside for found in time_ranges(text, AT, "UTC")] == inside
