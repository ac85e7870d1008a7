"""What somebody did on a day or with somebody named, and what they never did, is told by its form."""

from __future__ import annotations

import pytest

from hearth.extract.rules.forms.deeds import tells_deed


@pytest.mark.parametrize(
    "said",
    [
        "I've never used any citation management software, like Zotero",
        "I have never actually enrolled in any pottery courses.",
        "We have never rented kilns from other studios before",
        "I just attended a workshop on glazes on May 3.",
        "I've submitted the application to Marta for review on April 10",
        "I downloaded Zotero to keep my references together",
    ],
)
def test_what_was_done_with_something_named_and_what_was_never_done_is_told(said: str) -> None:
    assert tells_deed(said)


@pytest.mark.parametrize(
    "said",
    [
        "I've never seen anything like that!",
        "I've never been so happy about a Monday",
        "I have never thought of it that way",
        "I've never done this before",
        "If I've never used any kilns, where do I begin?",
        "I submitted the application",
        "I just attended another long meeting",
        "I would have never bought any kiln from them",
    ],
)
def test_a_feeling_a_condition_and_what_may_be_anything_is_none(said: str) -> None:
    assert not tells_deed(said)
