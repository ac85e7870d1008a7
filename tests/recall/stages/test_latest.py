"""Of what was told twice, the later telling first."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.query import Query
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller


def find(box: Any, text: str) -> list[str]:
    box.sync()
    return [hit.path for hit in Recaller(box.store, None, RankingSettings())(Query(text, at=box.now, limit=9)).hits]


def write(box: Any, name: str, day: str, text: str) -> None:
    box.write(name, f"---\ndate: {day}\n---\n{text}\n")


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        (
            "What is the deadline of the first sprint on layout and navigation?",
            "The deadline of the first sprint on layout and navigation is April 1, 2026.",
            "The board shows the new sprint deadline, April 5, 2026, and the layout is open.",
        ),
        (
            "How many jars are in the larder?",
            "The larder on the ground floor has 45 jars in it, the jars are sorted.",
            "There was a delivery, so the jars in the larder have grown to 52 by now.",
        ),
        (
            "Wann ist die Abgabe des Berichts über die Speisekammer?",
            "Die Abgabe des Berichts über die Speisekammer ist am 3. Mai 2026.",
            "Wir haben die Abgabe des Berichts inzwischen auf den 9. Mai 2026 verschoben.",
        ),
    ],
)
def test_what_says_that_it_is_so_now_stands_before_what_it_replaced(
    box: Any, question: str, older: str, newer: str
) -> None:
    write(box, "older.md", "2026-01-05", older)
    write(box, "newer.md", "2026-02-05", newer)
    assert find(box, question)[:2] == ["newer.md", "older.md"]


def test_the_same_done_more_often_stands_before_the_former_count(box: Any) -> None:
    write(box, "older.md", "2026-01-05", "Only secured 3 interviews for producer roles in spring, interviews are rare.")
    write(box, "newer.md", "2026-02-05", "Between two trips the agency secured 5 interviews.")
    assert find(box, "How many interviews were secured for producer roles?")[0] == "newer.md"


@pytest.mark.parametrize(
    ("question", "newer"),
    [
        ("How many jars are in the larder?", "The jars in the larder now number 45, as they did."),
        ("How many jars are in the larder?", "We talked about 52 ways to label the larder."),
        ("How did the jars in the larder differ between the years?", "The jars in the larder have grown to 52 by now."),
    ],
)
def test_what_tells_no_other_value_or_is_not_asked_for_now_moves_nothing(box: Any, question: str, newer: str) -> None:
    write(box, "older.md", "2026-01-05", "How many jars are in the larder: the larder has 45 jars in it.")
    write(box, "newer.md", "2026-02-05", newer)
    assert find(box, question)[0] == "older.md"


def test_an_earlier_telling_never_stands_before_a_later_one_for_its_cue(box: Any) -> None:
    write(box, "older.md", "2026-01-05", "The jars in the larder have grown to 45 by now.")
    write(box, "newer.md", "2026-02-05", "How many jars are in the larder: the larder has 52 jars in it.")
    assert find(box, "How many jars are in the larder?")[0] == "newer.md"


def test_turns_of_one_conversation_are_later_by_their_lines(box: Any) -> None:
    filler = "\n\n".join(f"## Assistant\n\nNumber {at} of the recipe is about butter and flour." for at in range(40))
    box.write(
        "talk.md",
        "## User\n\nThe weekly word target of my writing goals is 1,200 words.\n\n"
        f"{filler}\n\n## User\n\nMy weekly word target was adjusted to 1,350 words today.\n",
    )
    box.sync()
    hits = Recaller(box.store, None, RankingSettings())(
        Query("What is my weekly word target for my writing goals?", at=box.now, limit=5)
    ).hits
    assert "1,350" in hits[0].text
