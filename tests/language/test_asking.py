"""What a message asks is told from what is only said beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.asking import gist, is_ask, stands_alone

ASKED = "What did I do on 3 March 2026?"


@pytest.mark.parametrize(
    "message",
    [
        f"I was reading the notes this morning. {ASKED}",
        f"{ASKED} My screen is small and the keyboard is loud.",
        f'{ASKED}\n{{"error": "invalid token"}}',
        f"The train was late.\n{ASKED}\nTypeError: x is None",
    ],
)
def test_what_stands_beside_a_question_is_not_its_gist(message: str) -> None:
    assert gist(message).strip() == ASKED


@pytest.mark.parametrize(
    "message",
    [
        "I am planning to add a login to my Flask app. Which libraries would you suggest?",
        "We moved billing to Frankfurt. Why did we do that?",
        "The importer hangs at night. How do I stop it?",
        "Can you list the order of my trips? Mention only three items.",
        "Would Tim enjoy books by C. S. Lewis or John Greene?",
        "Bought a lamp. The cake was dry.",
        "TypeError: x is None",
        "",
    ],
)
def test_what_a_question_needs_stays_beside_it(message: str) -> None:
    assert gist(message).split() == message.split()


def test_a_question_that_points_back_does_not_stand_alone() -> None:
    assert is_ask("Why did we do that?") and not stands_alone("Why did we do that?")
    assert not stands_alone("Why?")
    assert stands_alone(ASKED)


@given(st.text(max_size=300))
def test_any_message_has_a_gist_of_its_own_words(message: str) -> None:
    told = message.split()
    assert all(word in told or any(word in each for each in told) for word in gist(message).split())
