"""Snippets: what answers, without a heading that promises and does not keep."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hearth.recall.ranking.packing import is_head
from hearth.recall.ranking.snippet import snippet

LINES = (
    "# Choice",
    "## Why",
    "## How it went",
    "We chose the blue one.",
    "It costs less.",
    "- one",
    "- two",
    "",
    "Paint dries.",
    "Date: 2026-02-03",
    "- **Status:** accepted",
)


def test_a_snippet_does_not_end_with_the_heading_of_what_comes_next() -> None:
    text = "One database for everything.\nThe page goes into a column.\n\n## Why\n\nJoins matter more."
    found = snippet(text, 1, {"databas": 1.0, "column": 1.0}, "en")
    assert found.text == "One database for everything.\nThe page goes into a column."
    assert (found.start, found.end) == (1, 2)


def test_a_single_line_goes_on_below_the_next_heading() -> None:
    text = "Status: accepted.\n\n## What happened\n\nThe tablet was stolen.\nIt was a Sunday.\n\n## Price\n\nNothing."
    found = snippet(text, 8, {"status": 1.0}, "en")
    assert found.text == "Status: accepted.\n\n## What happened\n\nThe tablet was stolen.\nIt was a Sunday."
    assert (found.start, found.end) == (8, 13)


def test_a_heading_that_matches_brings_what_follows_it() -> None:
    text = (
        "Paint dries slowly.\n\n## Why PostgreSQL\n\n- Joins matter more.\n- It is boring.\n\n## Price\n\nMigrations."
    )
    found = snippet(text, 10, {"postgresql": 2.0, "why": 1.0}, "en")
    assert found.text == "## Why PostgreSQL\n\n- Joins matter more.\n- It is boring."
    assert (found.start, found.end) == (12, 15)


METADATA = (
    "Date: 2026-02-03\nStatus: accepted",
    "- **Datum:** 3. Februar 2026\n- **Status**: angenommen",
    "*Fecha:* 2026-02-03\n> Estado: aceptado",
    "Deciders: Ana, Ben",
)


@pytest.mark.parametrize("metadata", METADATA)
def test_what_stands_below_a_title_and_its_metadata_is_shown(metadata: str) -> None:
    text = f"# Which queue\n\n{metadata}\n\nWe decided to use RabbitMQ.\n\n## Price\n\nNothing."
    found = snippet(text, 1, {"which": 1.0, "queue": 2.0}, "en")
    assert found.text.startswith("# Which queue\n") and "We decided to use RabbitMQ." in found.text
    said = "We decided to use RabbitMQ."
    assert found.lead == (text.split("\n").index(said) + 1, said)


def test_metadata_that_answers_is_shown_and_cited() -> None:
    found = snippet("# Queue\n\nDate: 2026-02-03\nStatus: accepted\n\nWe take it.", 1, {"status": 2.0}, "en")
    assert "Status: accepted" in found.text
    assert found.lead[0] == 4
    assert not is_head("Status: we moved to RabbitMQ, since Kafka needs too many machines.")


def test_a_row_that_answers_goes_before_the_title_that_names_the_table() -> None:
    text = "# Prices\n\nWhat things cost.\n\n| thing | price |\n|---|---|\n| spoke | 3 |\n| rim | 7 |\n| hub | 11 |"
    found = snippet(text, 1, {"price": 5.0, "hub": 2.0}, "en")
    assert found.text.split("\n")[:1] == ["| thing | price |"] and "| hub | 11 |" in found.text
    assert found.lead == (9, "| hub | 11 |")


def test_the_lead_is_the_best_line_from_its_best_sentence_on() -> None:
    text = "# Bakery\n\nThe oven is old.\nIt smokes. Opening hours are seven to noon. Bread sells early."
    found = snippet(text, 3, {"open": 2.0, "hour": 2.0}, "en")
    assert found.lead == (6, "Opening hours are seven to noon. Bread sells early.")


def test_a_long_passage_that_is_cut_cites_the_lines_that_are_left() -> None:
    text = "\n".join(
        ["one two three four five six seven " * 8, "eight nine ten " * 8 + "zircon " + "eleven twelve " * 8]
    )
    found = snippet(text, 10, {"zircon": 2.0}, "en")
    assert "zircon" in found.text
    assert (found.start, found.end, found.lead[0]) == (11, 11, 11)


def test_the_rules_around_a_frontmatter_are_not_shown() -> None:
    found = snippet("---\ntags: [shed]\n---", 1, {}, "en")
    assert (found.text, found.start, found.end) == ("tags: [shed]", 2, 2)


@example(
    ["We chose the blue one.", LINES[-1], "", "# Choice", "- two", "It costs less.", LINES[-1], "It costs less."], 1
)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=14), st.integers(1, 50))
def test_a_snippet_is_the_lines_that_it_cites_and_ends_with_a_heading_only_where_nothing_follows(
    lines: list[str], first: int
) -> None:
    found = snippet("\n".join(lines), first, {"blue": 1.0, "whi": 0.5, "paint": 0.7}, "en")
    shown = lines[found.start - first : found.end - first + 1]
    assert found.text.split("\n") == [line.rstrip() for line in shown]
    if is_head(shown[-1]):
        assert not any(line.strip() and not is_head(line) for line in lines[found.end - first + 1 :])
    at, lead = found.lead
    assert found.start <= at <= found.end
    assert lead.startswith(lines[at - first].strip())


TABLE = ["| Name | Address | Owner |", "|---|:--|---|"] + [f"| host{n} | 10.0.0.{n} | Ana |" for n in range(1, 12)]


def test_a_row_of_a_table_is_shown_below_its_header_and_cited_alone() -> None:
    text = "\n".join(["All machines.", "", *TABLE, "", "Nothing more."])
    found = snippet(text, 1, {"host9": 2.0}, "en")
    lines = found.text.split("\n")
    assert lines[:2] == [TABLE[0], "| host9 | 10.0.0.9 | Ana |"]
    assert found.start == 13


def test_the_first_rows_of_a_table_are_shown_with_it_as_it_stands() -> None:
    found = snippet("\n".join(TABLE), 5, {"host1": 2.0}, "en")
    assert found.text.split("\n")[:3] == TABLE[:3]
    assert found.start == 5


def test_a_part_of_a_table_has_the_header_that_stood_before_it() -> None:
    found = snippet("\n".join(TABLE[6:]), 7, {"host9": 2.0}, "en", TABLE[0])
    assert found.text.startswith(f"{TABLE[0]}\n| host9 |")
    plain = snippet("A line of text.", 7, {"line": 2.0}, "en", TABLE[0])
    assert plain.text == "A line of text."


def test_a_broad_header_leaves_room_for_the_row() -> None:
    header = "| " + " | ".join(f"column {n}" for n in range(60)) + " |"
    found = snippet("\n".join([header, "|---|---|", "| a | b |", "| oak | tree |"]), 1, {"oak": 1.0}, "en")
    assert "…" in found.text.split("\n")[0]
    assert "| oak | tree |" in found.text
