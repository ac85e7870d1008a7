from __future__ import annotations

import pytest

from hearth.capture.handoff import hand_off
from hearth.capture.requests import find_remaining, find_request, title_of
from hearth.core.hook import Act, Action, Step
from hearth.core.transcript import Kind, TranscriptEntry, Turn


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
    assert find_remaining([turn("The price list is next."), turn("Sort the jars by size.")]) == []


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("Sort the jars by size.", "Sort the jars by size"),
        ("Hello there! Could you sort the jars by size?", "Could you sort the jars by size?"),
        ("@larder.py @shelf.py\nSort the jars by size.", "Sort the jars by size"),
        ("Ok. Great.\nNow label every tin on the lower shelf", "Now label every tin on the lower shelf"),
        (
            "Sort all of the jars by the size of their lids, and then print a label for each one of them in type.",
            "Sort all of the jars by the size of their lids",
        ),
        (
            "Print one label for every single jar from the lowest of the old shelves of the larder",
            "Print one label for every single jar from the lowest of the old…",
        ),
    ],
)
def test_a_request_is_named_by_its_first_sentence_up_to_the_end_of_a_clause(request_: str, title: str) -> None:
    assert title_of(request_) == title


def test_the_request_is_the_first_prompt_that_does_not_only_say_to_go_on() -> None:
    letter = "Proofread this:\n\n> Dear all, the oven is closed on Monday.\n> See you on Tuesday."
    assert find_request(["ok, continue", "yes please", "Sort the jars by size."]) == "Sort the jars by size."
    assert "oven" not in title_of(find_request([letter]))
    assert find_request(["go on", "", "/compact"]) == ""


def test_of_the_first_prompts_the_one_that_says_enough_names_the_session() -> None:
    assert find_request(["dir", "how do I fill this out?", "Sort the jars of the larder by their year."]) == (
        "Sort the jars of the larder by their year."
    )
    assert find_request(["Mend the gutter.", "ok"]) == "Mend the gutter."


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("[… 64,348 characters left out …]\n\nThe larder test fails again", "The larder test fails again"),
        ("Make a plan for the below:\nRole\nYou are a baker.", "Make a plan for the below"),
        ("Look into /home/ana/work/bakery/ovens/thermostat and mend it", "Look into thermostat and mend it"),
        ("$review can you check the jars of the larder", "can you check the jars of the larder"),
        (
            "One of the things that people who keep a larder for many years tell each other is that jars burst. "
            "Write a page on how to boil jars.",
            "Write a page on how to boil jars",
        ),
    ],
)
def test_a_title_is_what_is_asked_without_marks_folders_and_prefaces(request_text: str, title: str) -> None:
    assert title_of(find_request([request_text])) == title


def test_only_the_one_question_that_a_reply_ends_with_and_that_names_something_is_open() -> None:
    def handed(reply: str) -> tuple[str, ...]:
        entry = TranscriptEntry(Kind.USER, "Look at the jars, please.")
        return hand_off([Turn(1, prompts=(entry,), replies=(reply,))]).questions

    assert handed("Two jars burst.\n\nShould the cracked jars go to the glazier in Leeds?") == (
        "Should the cracked jars go to the glazier in Leeds?",
    )
    assert not handed("Two jars burst.\n\n- Do the lids close well and tight?\n- Do the labels stick on the jars?")
    assert not handed("Two jars burst.\n\nHow do you want to proceed?")
