from __future__ import annotations

import pytest

from hearth.extract.session.handoff import hand_off
from hearth.extract.session.remaining import find_remaining
from hearth.model.host.action import Act, Action, Step
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn


def turn(text: str, *steps: Step) -> Turn:
    return Turn(1, prompts=(TranscriptEntry(Kind.USER, text),), replies=("See you.",), steps=steps)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("That was it. Stopping here, the glaze page is next.", "Stopping here, the glaze page is next."),
        ("ok bye. what's left is the price list", "what's left is the price list"),
        ("Danke. Als Nächstes kommt die Preisliste dran.", "Als Nächstes kommt die Preisliste dran."),
        ("merci, il reste la page des prix", "merci, il reste la page des prix"),
        ("gracias, falta la lista de precios", "gracias, falta la lista de precios"),
    ],
)
def test_what_is_left_is_said_last_and_handed_on(said: str, left: str) -> None:
    assert find_remaining([turn("Bake."), turn(said)]) == [left]
    assert hand_off([turn("Bake."), turn(said)]).next == (left,)


@pytest.mark.parametrize("said", ["What's next?", "Thanks, that's all.", "Put the next button on the left."])
def test_what_asks_or_orders_says_nothing_of_what_is_left(said: str) -> None:
    assert find_remaining([turn(said)]) == []


def test_what_was_done_at_once_and_what_was_said_earlier_is_not_left() -> None:
    step = Step("Bash", Action(Act.COMMAND))
    assert find_remaining([turn("The price list is next.", step)]) == []
    assert find_remaining([turn("The price list is next."), turn("Thanks.")]) == []
