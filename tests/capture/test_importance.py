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


def test_always_and_never_count_once_together() -> None:
    once = importance("Always use rye.", Category.PRINCIPLE).score
    assert importance("Always use rye, never wheat, always.", Category.PRINCIPLE).score == once


def test_reasons_and_keywords_are_few_and_keywords_tell() -> None:
    found = importance(
        "The user decided: never bake rye bread by Friday 12.5 in oven_two.", Category.DECISION, ("rule",)
    )
    assert len(found.reasons) == 5 and len(found.keywords) == 5
    assert "rye" in found.keywords and "user" not in found.keywords
