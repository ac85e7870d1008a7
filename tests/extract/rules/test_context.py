from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.extract.rules.context import add_context, find_context, name_replaced
from hearth.language.slots import read_statement


@pytest.mark.parametrize(
    ("before", "text", "told"),
    [
        (
            "Hm, SQLite on the SD card is wearing it out.",
            "Let's switch to PostgreSQL on the NAS instead.",
            "Let's switch to PostgreSQL on the NAS instead of SQLite.",
        ),
        ("The Nikon is too heavy.", "I'll take the Fuji instead", "I'll take the Fuji instead of Nikon"),
        ("It is too slow.", "Let's use Redis instead.", "Let's use Redis instead."),
        ("Redis is slow.", "Let's use Redis with AOF instead.", "Let's use Redis with AOF instead."),
        ("Redis is slow.", "Let's use Valkey instead of it.", "Let's use Valkey instead of it."),
        ("", "Let's use Redis instead.", "Let's use Redis instead."),
    ],
)
def test_a_lone_instead_gets_the_name_that_the_sentence_before_is_about(before: str, text: str, told: str) -> None:
    assert name_replaced(text, before) == told


def test_a_short_decision_goes_back_to_what_named_its_thing_before() -> None:
    asked = "Sensors publish every 30 seconds. For storage I was thinking SQLite, or is InfluxDB better?"
    assert find_context("Let's go with SQLite then.", "", [asked]) == (
        "For storage I was thinking SQLite, or is InfluxDB better?"
    )
    assert find_context("Let's go with tabs then.", "", [asked]) == ""
    assert find_context("Let's start on July 6.", "", ["We got feedback on July 10."]) == "", "a month is no thing"
    assert find_context("Let's go with SQLite " + "and so on " * 10, "", [asked]) == ""


@given(st.text(max_size=80))
def test_no_judge_reads_what_stands_behind_a_statement(context: str) -> None:
    alone = read_statement("We go with SQLite.", "en")
    told = add_context("We go with SQLite.", context)
    assert "\n" not in told
    assert read_statement(told, "en").content == alone.content
