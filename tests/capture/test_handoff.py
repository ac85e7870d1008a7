from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.capture.handoff import MAX_TOKENS, hand_off, text_of
from hearth.capture.rules import extract
from hearth.core.extraction import Handoff
from hearth.core.hook import Act, Action, Outcome, Step, Todo
from hearth.core.transcript import Kind, TranscriptEntry, Turn
from hearth.text.lines import estimate_tokens
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns


def test_a_recorded_session_is_handed_on_with_what_was_asked_done_decided_and_changed(
    recorded: Callable[[str], bytes],
) -> None:
    found = extract(turns(TranscriptParser().feed(recorded("claude_code_plan")))).handoff
    assert found.request == "Set the larder up."
    assert found.done == ("Write the schema", "Committed: Give the jar two lids")
    assert found.next == ("Add the importer",)
    assert found.learned == ("test_lid failed and passes again after changes in jar.py.",)
    assert any("PostgreSQL" in text for text in found.decisions)
    assert [name.rpartition("/")[2] for name in found.files] == ["jar.py", "test_jar.py"]


def todos(*items: Todo, partial: bool = False, key: str | None = None) -> Turn:
    action = Action(Act.TODOS, todos=items, partial=partial)
    outcome = Outcome(key=key) if key else None
    return Turn(1, steps=(Step("TodoWrite", action, outcome=outcome),))


def test_the_list_of_what_is_to_do_is_the_last_one_written() -> None:
    first = todos(Todo("sift", "active"), Todo("bake", "open"))
    second = todos(Todo("sift", "done"), Todo("cool", "open"))
    found = hand_off([first, second], [])
    assert (found.done, found.next) == (("sift",), ("cool",))


def test_a_list_that_is_kept_item_by_item_follows_each_change() -> None:
    made = todos(Todo("sift"), partial=True, key="1")
    done = todos(Todo("", "done", "1"), partial=True)
    assert hand_off([made, done], []).done == ("sift",)


def test_nothing_is_handed_on_of_nothing_and_empty_sections_are_left_out() -> None:
    assert hand_off([], []) == Handoff() and not hand_off([], [])
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, "Bake bread."),))
    assert text_of(hand_off([turn], [])) == "## Request\n\nBake bread."


def test_a_private_prompt_is_no_request() -> None:
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, "<private>Sell the bakery."),))
    assert not hand_off([turn], [])


@settings(max_examples=40)
@given(st.lists(st.text(min_size=1, max_size=200), max_size=30), st.text(max_size=3000))
def test_whatever_was_done_the_text_stays_within_its_budget(items: list[str], reply: str) -> None:
    turn = todos(*(Todo(item, "done" if at % 2 else "open") for at, item in enumerate(items)))
    long = Turn(2, prompts=(TranscriptEntry(Kind.USER, "漢" * 900),), replies=(reply,), files=tuple(items))
    assert estimate_tokens(text_of(hand_off([turn, long], []))) <= MAX_TOKENS


def run(command: str, output: str, *, failed: bool = False) -> Step:
    return Step("Bash", Action(Act.COMMAND, command), failed=failed, output=output, done=True)


def test_the_state_is_what_the_host_recorded_last() -> None:
    failing = run("pytest tests", "FAILED tests/test_lid.py::test_lid - assert 1 == 2", failed=True)
    commit = run("git commit -m 'Give the jar a lid'", "[main 1a2b3c4] Give the jar a lid")
    items = todos(Todo("label jars", "done"), Todo("label tins", "active"), Todo("label bags", "open"))
    first = Turn(1, replies=("I looked at the lid.",), steps=(failing,))
    assert hand_off([first], []).state == "Last test run: `pytest` failed: test_lid."
    passed = Turn(2, steps=(run("pytest tests", "3 passed in 0.1s"), commit))
    assert hand_off([first, passed, items], []).state == (
        "Last test run: `pytest` passed. Last commit: Give the jar a lid. 1 of 3 to-dos done; in progress: label tins."
    )


def test_what_an_agent_says_last_is_no_state_and_what_it_announces_no_decision() -> None:
    asked = (TranscriptEntry(Kind.USER, "Sort the jars by size."),)
    said = "Instead of lids, let's use a simpler approach:\n\n1. Cork\n\nNow let me update the todo list:"
    found = hand_off([Turn(1, prompts=asked, replies=(said,))], [])
    assert (found.state, found.decisions, found.questions) == ("", (), ())
    assert "State" not in text_of(found)


def test_what_the_person_owes_comes_next() -> None:
    turn = Turn(1, prompts=(TranscriptEntry(Kind.USER, "I will send the draft to Ada by Friday."),))
    assert extract([turn]).handoff.next == ("I will send the draft to Ada by Friday.",)


def say(text: str, *replies: str, steps: int = 0) -> Turn:
    done = tuple(run("make", "built") for _ in range(steps))
    return Turn(1, prompts=(TranscriptEntry(Kind.USER, text),), replies=replies, steps=done)


ASKED = say("Fix the pump driver.", "Fixed.", steps=2)


@pytest.mark.parametrize(
    ("last", "left"),
    [
        ([say("Next up is the importer.", "Noted."), say("thanks, that's all for today", "Bye!")], True),
        ([say("Als Nächstes kommt der Importer dran.", "Gut."), say("Danke, bis morgen!", "Bis dann.")], True),
        ([say("Commit it. Tomorrow we continue with the importer.", "Done.", steps=1), say("Great!", "Bye.")], True),
        ([say("The importer is next.", "Built.", steps=3), say("thanks", "Bye!")], False),
        ([say("Let's continue with the importer.", "It reads one file at a time.")], False),
        ([say("Next up is the importer.", "Noted."), say("Write the importer.", "Here it is.")], False),
        ([say("Is the importer next?", "Yes.")], False),
    ],
)
def test_what_the_person_says_is_left_comes_next_whatever_they_say_at_parting(last: list[Turn], left: bool) -> None:
    found = hand_off([ASKED, *last], []).next
    assert (len(found) == 1 and "mporter" in found[0]) if left else found == ()


def test_the_last_request_comes_next_where_nothing_came_of_it() -> None:
    open_request = say("Now add a gate to the loader.")
    assert hand_off([ASKED, open_request], []).next == ("Now add a gate to the loader.",)
    assert hand_off([open_request], []).next == ()
    assert hand_off([ASKED, say("It was the lid.")], []).next == ()
