"""Of fragments that say the same the younger one stands first, and the half-life of its type says by how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hearth.core.instants import DAY_MS, show_date
from hearth.core.query import Query
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller

SENTENCE = "The shop is deployed with Kamal to the box in Falkenstein."


def find(box: Any, question: str, half_lives: Mapping[str, float | None]) -> list[tuple[str, float]]:
    box.sync()
    settings = RankingSettings(half_lives=half_lives)
    hits = Recaller(box.store, None, settings)(Query(question, at=box.now, limit=5)).hits
    return [(hit.path, hit.score) for hit in hits if "Kamal" in hit.text]


def write(box: Any, days: int, heading: str, kind: str = "daily") -> str:
    day = show_date(box.now - days * DAY_MS)
    path = f"{kind}/{day}.md"
    box.write(path, f"---\ndate: {day}\ncontent_type: {kind}\n---\n# {day}\n\n## {heading}\n\n{SENTENCE}\n")
    return path


def test_the_younger_of_two_equal_sentences_stands_first_whatever_its_heading(box: Any) -> None:
    write(box, 400, "Deploying the shop")
    younger = write(box, 1, "Odds and ends")
    assert find(box, "how is the shop deployed?", {"daily": 30.0})[0][0] == younger


def test_the_half_life_says_how_far_the_older_one_falls_behind(box: Any) -> None:
    write(box, 400, "Deploying the shop")
    write(box, 1, "Odds and ends")
    short, long = (find(box, "how is the shop deployed?", {"daily": days}) for days in (30.0, 4_000.0))
    assert short[0][1] - short[1][1] > long[0][1] - long[1][1] > 0


@pytest.mark.parametrize(("kind", "half_life"), [("decision", None), ("daily", None)])
def test_what_never_ages_keeps_its_place(box: Any, kind: str, half_life: float | None) -> None:
    older = write(box, 400, "Deploying the shop", kind)
    write(box, 1, "Odds and ends", kind)
    assert find(box, "how is the shop deployed?", {kind: half_life})[0][0] == older


def test_what_is_undated_has_no_age(box: Any) -> None:
    box.write("plan.md", f"# Deploying the shop\n\n{SENTENCE}\n")
    write(box, 1, "Odds and ends")
    assert find(box, "how is the shop deployed?", {"daily": 30.0})[0][0] == "plan.md"


STATES = [
    (
        "The site is hosted at Hetzner in Falkenstein.",
        "The site is hosted at Scaleway in Paris.",
        "Where is the site hosted?",
    ),
    ("Mara leads the design team.", "Otto leads the design team.", "Who leads the design team?"),
    (
        "The queue of the shop holds 40 jobs.",
        "The queue of the shop holds 75 jobs.",
        "How many jobs does the queue hold?",
    ),
    ("We run the tests on Jenkins.", "The tests run on Buildkite and that is fine.", "What do the tests run on?"),
]
OTHERS = [
    (
        "The payment terms are thirty days.",
        "The payment of June came late, terms are open.",
        "What are the payment terms?",
    ),
    ("The apple tree is pruned in February.", "The pear tree is pruned in March.", "When is the apple tree pruned?"),
    ("To restore a backup, run restic and check the log.", "The backup ran, nothing to restore.", "How do we restore?"),
]


def ask_of_two(box: Any, older: str, newer: str, question: str, heads: tuple[str, str]) -> str:
    """The path of what stands first; the older one bears the better heading."""
    box.write("older.md", f"---\n{heads[0]}\n---\n# Notes: {question.rstrip('?')}\n\n{older}\n")
    box.write("newer.md", f"---\n{heads[1]}\n---\n# Odds and ends\n\nLunch with Ada. {newer}\n")
    box.sync()
    hits = Recaller(box.store, None, RankingSettings())(Query(question, at=box.now)).hits
    return str(hits[0].path)


def dates(box: Any, kind: str = "note") -> tuple[str, str]:
    old, new = (f"date: {show_date(box.now - days * DAY_MS)}\ncontent_type: {kind}" for days in (300, 3))
    return old, new


@pytest.mark.parametrize(("older", "newer", "question"), STATES)
def test_of_two_notes_that_tell_a_state_the_newer_one_stands_first(
    box: Any, older: str, newer: str, question: str
) -> None:
    assert ask_of_two(box, older, newer, question, dates(box)) == "newer.md"


@pytest.mark.parametrize(("older", "newer", "question"), OTHERS)
def test_what_tells_something_else_is_not_put_first_for_being_newer(
    box: Any, older: str, newer: str, question: str
) -> None:
    assert ask_of_two(box, older, newer, question, dates(box)) == "older.md"


@pytest.mark.parametrize(("older", "newer", "question"), STATES[:2])
def test_decisions_and_the_undated_are_not_put_first_or_last_by_age(
    box: Any, older: str, newer: str, question: str
) -> None:
    assert ask_of_two(box, older, newer, question, dates(box, "decision")) == "older.md"
    assert ask_of_two(box, older, newer, question, ("tags: [a]", "tags: [b]")) == "older.md"


def test_a_question_about_how_it_was_leaves_the_older_note_first(box: Any) -> None:
    older, newer, _ = STATES[1]
    assert ask_of_two(box, older, newer, "Who led the design team before?", dates(box)) == "older.md"


def test_a_question_about_the_present_prefers_the_latest_note(box: Any) -> None:
    for days, text in (
        (300, "# Database of the shop\n\nThe database of the shop is MariaDB."),
        (3, "Ada came by about the shop: its database is Postgres."),
    ):
        day = show_date(box.now - days * DAY_MS)
        box.write(f"notes/{day}.md", f"---\ndate: {day}\n---\n# {day}\n\n{text}\n")
    box.sync()
    ask = Recaller(box.store, None, RankingSettings())
    question = "what is the database of the shop"
    plain, now = (ask(Query(text, at=box.now)).hits for text in (f"{question}?", f"{question} these days?"))
    assert "Postgres" in plain[0].text
    assert "Postgres" in now[0].text
