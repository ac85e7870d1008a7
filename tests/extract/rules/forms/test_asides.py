from __future__ import annotations

import pytest

from hearth.extract.rules.forms.asides import tells_aside


@pytest.mark.parametrize(
    "text",
    [
        "Recipes over here are in grams only by the way.",
        "Watch out: the oven has to be cold before the tray comes out",
        "btw the mill is closed on Tuesdays",
        "por cierto los panes ya van todos sin sal",
        "Übrigens ist der Ofen bis Mai in der Werkstatt",
        "ちなみに the oven runs on gas and on wood",
    ],
)
def test_what_is_added_for_others_to_know_is_told(text: str) -> None:
    assert tells_aside(text)


@pytest.mark.parametrize(
    "words",
    [
        "by the way", "btw", "fyi", "heads up", "heads-up", "watch out", "mind you", "over here", "just so you know",
        "for the record", "por cierto", "übrigens", "au fait", "a propósito", "aliás", "a proposito", "кстати",
        "顺便说", "ちなみに",
    ],
)  # fmt: skip
def test_each_of_the_words_for_it_is_known(words: str) -> None:
    assert tells_aside(f"{words}, the oven runs on gas and on wood")


@pytest.mark.parametrize(
    "text",
    [
        "By the way, I went to the mill last Friday with Ada",
        "btw, how do I clean the oven with the stone in it?",
        "By the way, take a look at this photo of the oven",
        "Heads up!",
        "The oven runs on gas and on wood.",
        "btw maybe the mill could be closed on Tuesdays",
    ],
)
def test_stories_questions_and_guesses_beside_the_point_are_not(text: str) -> None:
    assert not tells_aside(text)
