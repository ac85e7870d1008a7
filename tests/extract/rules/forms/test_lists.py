"""Which lists say what their items are, and which only look like it."""

from __future__ import annotations

import pytest

from hearth.extract.rules.extract import extract
from hearth.extract.rules.forms.lists import find_listed
from hearth.model.capture.extraction import Category
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn


@pytest.mark.parametrize(
    ("head", "category"),
    [
        ("Here's what we agreed today:", Category.DECISION),
        ("## Decisions:", Category.DECISION),
        ("**Project rules:**", Category.PRINCIPLE),
        ("Unsere Regeln:", Category.PRINCIPLE),
        ("Decidimos:", Category.DECISION),
        ("Mes préférences :", Category.PREFERENCE),
        ("决定:", Category.DECISION),
    ],
)
def test_a_line_says_what_the_items_below_it_are(head: str, category: Category) -> None:
    found = find_listed(f"{head}\n\n- rye only\n2. no wheat at all\n\nSomething else.\n- not of it")
    assert found == {"rye only": category, "no wheat at all": category}


@pytest.mark.parametrize(
    "head",
    [
        "Can you list the rules:",
        "Which decisions are pending:",
        "Suggested rules:",
        "Fix these rule violations:",
        "Steps:",
        "Decisions",
    ],
)
def test_what_is_asked_for_or_open_settles_nothing(head: str) -> None:
    assert find_listed(f"{head}\n- rye only") == {}


def test_each_item_is_kept_with_what_it_denies() -> None:
    items = "1. TypeScript strict mode everywhere\n2. no default exports\n3. errors are returned, never thrown"
    text = f"Project rules:\n{items}"
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, text),), replies=("Noted.",))
    assert [(memory.category, memory.text) for memory in extract([turn]).memories] == [
        (Category.PRINCIPLE, "TypeScript strict mode everywhere."),
        (Category.PRINCIPLE, "No default exports."),
        (Category.PRINCIPLE, "Errors are returned, never thrown."),
    ]
