"""Snippets: what answers, without a heading that promises and does not keep."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.ranking.packing.snippet import snippet

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


def test_the_rules_around_a_frontmatter_are_not_shown() -> None:
    found = snippet("---\ntags: [shed]\n---", 1, {}, "en")
    assert (found.text, found.start, found.end) == ("tags: [shed]", 2, 2)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=14), st.integers(1, 50))
def test_a_snippet_is_the_lines_that_it_cites_and_ends_with_a_heading_only_where_nothing_follows(
    lines: list[str], first: int
) -> None:
    found = snippet("\n".join(lines), first, {"blue": 1.0, "whi": 0.5, "paint": 0.7}, "en")
    shown = lines[found.start - first : found.end - first + 1]
    assert found.text.split("\n") == [line.rstrip() for line in shown]
    if shown[-1].startswith("#"):
        assert not any(line.strip() and not line.startswith("#") for line in lines[found.end - first + 1 :])


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
