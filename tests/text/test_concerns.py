from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.text.related_words import MAX_WORDS, find_concerns, rules_on


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("install lodash", "packages"),
        ("añade la dependencia zod", "packages"),
        ("schreib eine Commit-Nachricht", "commits"),
        ("crée une branche", "branches"),
        ("write a bash script", "shell"),
    ],
)
def test_an_instruction_touches_a_concern_in_any_language(told: str, name: str) -> None:
    assert name in find_concerns(told)


@pytest.mark.parametrize(
    "text", ["why does the install fail", "install what?", "fix it", "", "install" + " x" * MAX_WORDS]
)
def test_what_asks_or_is_long_or_says_nothing_touches_none(text: str) -> None:
    assert find_concerns(text) == ()


def test_a_rule_of_another_concern_is_not_about_it() -> None:
    concerns = find_concerns("install lodash")
    assert rules_on("Always use pnpm.", concerns)
    assert not rules_on("Commit subjects are imperative.", concerns)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_instruction_is_read(text: str) -> None:
    rules_on(text, find_concerns(text))
