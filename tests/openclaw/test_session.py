"""Real turns of OpenClaw with the plugin, where ``make test-openclaw`` installed it; a model of ours answers."""

from __future__ import annotations

import json
import statistics

import pytest

from .conftest import Host, show, since_answer, texts, until

pytestmark = pytest.mark.timeout(900)


def test_what_was_said_before_new_is_told_after_it(gateway: Host) -> None:
    first = gateway.say("Remember that the pump of the greenhouse is painted blue.")
    assert "The barn is painted red." in texts(first, "system")[0]
    assert "memory_search" in texts(first, "system")[0]
    gateway.say("We decided to water the tomatoes at six in the morning, never at noon.")
    gateway.say("/new")
    until(lambda: "painted blue" in gateway.hearth("query", "which colour is the pump of the greenhouse"))
    after = gateway.say("Which colour is the pump of the greenhouse?")
    asked = "\n".join(texts(after, "user"))
    assert "<vault-session>" in asked and "<vault-context>" in asked and "painted blue" in asked
    assert "water the tomatoes" not in "".join(texts(after, "assistant"))
    assert any("painted blue" in text for sent in gateway.requests for text in texts(sent, "tool"))
    log = json.loads(gateway.hearth("log", "--json"))
    assert json.dumps(log).count('"openclaw"') == 2


def test_a_turn_goes_on_while_the_daemon_is_killed_and_is_kept_with_the_next(gateway: Host) -> None:
    for number, word in enumerate(("walnut", "chestnut", "hazel", "linden")):
        gateway.kill_daemon()
        gateway.say(f"In bed {number} stands a {word} now.")
    gateway.hearth("daemon", "start")
    gateway.say("That is all of them.")
    gateway.hearth("capture", "run", "--all")
    kept = gateway.hearth("query", "which trees stand in the beds")
    session = json.loads(gateway.hearth("capture", "show", "--json"))
    assert session["pieces"], kept
    text = gateway.conversations()
    assert [text.count(f"stands a {word} now.\n") for word in ("walnut", "chestnut", "hazel", "linden")] == [1, 1, 1, 1]


def test_doctor_says_what_reached_the_model(gateway: Host) -> None:
    said = gateway.hearth("doctor", "openclaw", "--turn", "--openclaw", " ".join(gateway.program))
    assert said.count("\nok ") == 5 and "fail" not in said, said


TREES = ("walnut", "chestnut", "hazel", "linden", "maple", "oak", "birch", "cedar", "willow", "poplar")


@pytest.mark.torture
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("gateway", [("memory",), ("both",)], ids=["memory", "both"], indirect=True)
def test_fifty_turns_with_ten_kills_are_kept_once_each(gateway: Host) -> None:
    names = [f"{TREES[number % 10]}-{number:02}" for number in range(50)]
    killed, took, brought = 0, [], 0
    for number, name in enumerate(names):
        killed += number % 5 == 2 and gateway.kill_daemon()
        before = len(gateway.requests)
        text = f"{'' if number % 4 else 'Remember that in'} bed {number} there is a {name} now."
        took.append(gateway.post(f"{text} Which tree is in bed {number - 3}?" if number % 7 == 6 else text))
        brought += "<vault-" in "".join(texts(since_answer(gateway.requests[before]), "user"))
    gateway.hearth("daemon", "start")
    gateway.post("That is all of them.")
    until(lambda: not list((gateway.folder / "state").rglob("hearth-waiting/*")))
    gateway.hearth("capture", "run", "--all")
    kept = gateway.conversations()
    show(f"{killed} kills; p50 {statistics.median(took):.2f} s a turn; {brought} turns with a block")
    assert killed == 10 and brought
    assert {name: count for name in names if (count := kept.count(f"there is a {name} now.")) != 1} == {}
