from __future__ import annotations

import pytest

from hearth.capture.rules import importance
from hearth.core.extraction import Category, Level


@pytest.mark.parametrize(
    ("text", "category", "level"),
    [
        ("ok", Category.FACT, Level.TRIVIAL),
        ("Thanks!", Category.FACT, Level.TRIVIAL),
        ("Uses vim", Category.FACT, Level.NORMAL),
        ("The user prefers dark mode.", Category.PREFERENCE, Level.NORMAL),
        ("Never use the old API.", Category.PRINCIPLE, Level.HIGH),
        ("The user is allergic to peanuts.", Category.FACT, Level.NORMAL),
        ("maybe we will move to Postgres", Category.FACT, Level.LOW),
        ("Siempre responde en español.", Category.PRINCIPLE, Level.HIGH),
        ("总是先运行测试", Category.PRINCIPLE, Level.HIGH),
    ],
)
def test_a_statement_has_the_level_that_its_words_and_kind_give(text: str, category: Category, level: Level) -> None:
    assert importance(text, category).level is level


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Critical: never deploy on Fridays.", Category.PRINCIPLE),
        ("It is very important that the user's daughter is always called first.", Category.FACT),
        ("Wichtig: Backups immer verschlüsseln.", Category.CORRECTION),
        ("非常重要：总是先运行测试", Category.PRINCIPLE),
    ],
)
def test_what_is_said_to_matter_every_time_is_critical(text: str, category: Category) -> None:
    assert importance(text, category).level is Level.CRITICAL


@pytest.mark.parametrize(
    "text",
    [
        "The user is heartbroken about the old house.",
        "The user absolutely loves rye bread.",
        "Ich hasse lange Besprechungen.",
        "Me encanta el pan de centeno.",
        "J'adore le pain de seigle.",
    ],
)
def test_what_moves_the_person_matters_more_than_the_same_said_coolly(text: str) -> None:
    found = importance(text, Category.MOMENT)
    assert "moves the person" in found.reasons
    assert found.score > importance("The old house has a door.", Category.MOMENT).score


def test_the_keywords_are_words_of_the_memory_so_that_searches_have_them_already() -> None:
    text = "Rye bread needs a sour starter and eighteen hours of patience in the cellar."
    assert all(word in text.lower() for word in importance(text, Category.FACT).keywords)


def test_always_and_never_count_once_together() -> None:
    once = importance("Always use rye.", Category.PRINCIPLE).score
    assert importance("Always use rye, never wheat, always.", Category.PRINCIPLE).score == once


def test_reasons_and_keywords_are_few_and_keywords_tell() -> None:
    found = importance(
        "The user decided: never bake rye bread by Friday 12.5 in oven_two.", Category.DECISION, ("rule",)
    )
    assert len(found.reasons) == 5 and len(found.keywords) == 5
    assert "rye" in found.keywords and "user" not in found.keywords
