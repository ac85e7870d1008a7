"""A question about the person is not answered by a passage that shares one word with it."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.query import Query
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller

OWN = {
    "flat.md": "# Flat\n\nMoved in in May 2021. The rent is 850 euros, due on the third. Landlord: Jens Falk.\n",
    "health.md": "# Health\n\n- Dentist: Dr Okafor, next visit 3 December, 10:15\n- Blood type A+\n",
    "2026-11-02.md": "Called the plumber, we owe him 120 for the tap.\n",
    "wifi.md": "# Wifi\n\nAt mother's: the password hangs on the fridge.\n",
}
# What a developer notes of programs.
OTHERS = {
    "routes.md": "# Define conditional routes\n\nA demo of the rent page is shown where a request asks for one:\n\n"
    "```ruby\nget 'rent/new', to: 'rent_demos#show'\n```\n",
    "events.md": "# Add an event\n\nAdd one with a title and a description: `cal new 18:30 Dentist :: Wisdom tooth`.\n",
    "spread.md": "# Spread the rest of an object\n\nThe rest of the pairs land in the last name, as in a gym.\n",
}


def is_confident(box: Any, question: str, recipe: str) -> bool:
    return Recaller(box.store, None, RankingSettings())(Query(question, at=box.now, recipe=recipe)).confident


@pytest.mark.parametrize("recipe", ["keyword", "hybrid"])
def test_a_person_finds_what_they_noted_of_themselves(box: Any, recipe: str) -> None:
    for path, text in {**OWN, **OTHERS}.items():
        box.write(path, text)
    box.sync()
    for question in (
        "What is my rent?",
        "Who is my landlord?",
        "What is my dentist's name?",
        "What is my blood type?",
        "How much do I owe the plumber?",
        "What is the wifi password at my mother's?",
    ):
        assert is_confident(box, question, recipe), question


@pytest.mark.parametrize("recipe", ["keyword", "hybrid"])
def test_a_word_in_notes_of_something_else_makes_no_answer_sure(box: Any, recipe: str) -> None:
    for path, text in OTHERS.items():
        box.write(path, text)
    box.sync()
    for question in (
        "What is my rent?",
        "When is my dentist's visit?",
        "Which gym is mine?",
        "wie hoch ist mein rent?",
    ):
        assert not is_confident(box, question, recipe), question
    for question in ("how do I define conditional routes?", "how do I spread the rest of my object?"):
        assert is_confident(box, question, recipe), question


@pytest.mark.parametrize("recipe", ["keyword", "hybrid"])
def test_a_word_that_begins_like_the_one_asked_for_is_another(box: Any, recipe: str) -> None:
    box.write("rentals.md", "# Define conditional routes\n\nOf those rentals which are shown some are intercepted.\n")
    box.sync()
    assert not is_confident(box, "What is my rent?", recipe)
