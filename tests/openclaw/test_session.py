"""Real turns of OpenClaw with the plugin, where ``make test-openclaw`` installed it; a model of ours answers."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from .conftest import TREES, Host, add_other, open_gateway, show, since_answer, texts, until

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


@pytest.mark.torture
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("mode", "slot"), [("memory", ""), ("memory", "contextEngine"), ("both", "")])
def test_fifty_turns_with_ten_kills_are_kept_once_each(tmp_path: Path, mode: str, slot: str) -> None:
    with open_gateway(tmp_path, mode, change=add_other(tmp_path, slot) if slot else None) as gateway:
        _take_fifty_turns(gateway)
        if slot:
            assert json.loads(gateway.settings.read_text("utf-8"))["plugins"]["slots"][slot] == "other"
            assert (tmp_path / "other" / "calls").read_text("utf-8").count("commit") == 51


def _take_fifty_turns(gateway: Host) -> None:
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


@pytest.mark.torture
@pytest.mark.parametrize("mode", ["memory", "both"])
def test_what_the_plugin_adds_to_a_turn(tmp_path: Path, mode: str) -> None:
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    with open_gateway(tmp_path / "with", mode) as one, open_gateway(tmp_path / "without") as other:
        for tree in TREES:
            one.hearth("remember", "--type", "fact", f"The {tree} stands behind the barn.")
        pairs = []
        for number in range(40):
            text = f"Where does the {TREES[number % 10]} stand, and what was in bed {number}?"
            pairs.append((one.post(text), other.post(text)) if number % 2 else (other.post(text), one.post(text))[::-1])
        took, bare = zip(*pairs[10:], strict=True)
        added = statistics.median(a - b for a, b in pairs[10:])
        show(
            f"{mode}: p50 {statistics.median(took):.3f} s with, {statistics.median(bare):.3f} s without; {added:+.3f} s"
        )
        assert sum("<vault-" in json.dumps(sent) for sent in one.requests) > 10
        assert not any("<vault-" in json.dumps(sent) for sent in other.requests)
