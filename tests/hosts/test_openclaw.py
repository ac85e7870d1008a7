"""OpenClaw: the plugin by its own tests, and what of its words arrives in a vault."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hearth.context.surfacing import HINT
from hearth.core.errors import UsageError
from hearth.core.hook import HookReply, PromptSubmitted, SessionStarted, TurnEnded
from hearth.daemon.client import ask
from hearth.daemon.stub import call
from hearth.hosts import dialect
from hearth.server.mcp.tool import tools

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
PLUGIN = ROOT / "integrations" / "openclaw"
TESTS = ROOT / "tests" / "openclaw" / "plugin.test.mjs"
# What the plugin is written for: the oldest that OpenClaw runs on.
OLDEST = 22


def node() -> str | None:
    """A Node.js that is new enough."""
    found = os.environ.get("HEARTH_TEST_NODE") or shutil.which("node")
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    number = version.strip().lstrip("v").partition(".")[0]
    return found if number.isdecimal() and int(number) >= OLDEST else None


def test_the_plugin_passes_its_own_tests() -> None:
    found = node()
    if found is None:
        pytest.skip(f"no Node.js {OLDEST} or newer")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")}
    done = subprocess.run([found, "--test", str(TESTS)], capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stdout[-4_000:]


def test_the_manifest_declares_what_the_code_reads_and_brings() -> None:
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text("utf-8"))
    package = json.loads((PLUGIN / "package.json").read_text("utf-8"))
    assert manifest["id"] == "hearth" and manifest["activation"] == {"onStartup": True}
    assert package["openclaw"]["extensions"] == ["./index.js"] and "dependencies" not in package
    assert set(manifest["toolMetadata"]) == set(manifest["contracts"]["tools"])
    code = "".join(file.read_text("utf-8") for file in PLUGIN.glob("*.js"))
    for key in manifest["configSchema"]["properties"]:
        assert f"config.{key}" in code or f"{{ {key}" in code or f", {key} " in code, key


def test_the_tools_that_the_plugin_calls_are_there() -> None:
    code = (PLUGIN / "tools.js").read_text("utf-8")
    called = set(re.findall(r'\["(\w+)", (?:defined|given)', code))
    assert len(called) == 10 and called <= set(tools()), called - set(tools())


def called(home: Any, arguments: Mapping[str, Any], operation: str = "memory_search", **more: str) -> Any:
    asked = {"for": "model", "operation": operation, "arguments": arguments, "session": "s", **more}
    return ask(home.address, "call", 20, version=call.build(), deadline_ms=20_000, **asked)


def test_what_a_tool_answers_is_text_for_the_model(indexed_home: Any) -> None:
    indexed_home.daemon()
    found = called(indexed_home, {"query": "joins matter"})
    assert "joins matter" in found["text"] and found["result"]["results"][0]["docid"]
    assert called(indexed_home, {})["error"]["message"]


def test_a_tool_reads_nothing_in_an_incognito_session_and_no_other_vault_than_the_agents(indexed_home: Any) -> None:
    indexed_home.daemon()
    asked = {"query": "joins matter"}
    assert "error" not in called(indexed_home, {"action": "on", "session": "s"}, "memory_incognito")
    assert "memory is off" in called(indexed_home, asked)["error"]["message"]
    assert "error" not in called(indexed_home, {"action": "off", "session": "s"}, "memory_incognito")
    assert called(indexed_home, {**asked, "vault": "another"}, vault="default")["result"]["results"]


def read(hook: str, payload: Mapping[str, Any]) -> Any:
    return dialect("openclaw").read(hook, {"session_id": "s", **payload}, {})


def test_a_session_is_shared_unless_the_plugin_says_that_it_is_the_owners() -> None:
    assert read("context-surfacing", {"prompt": "hi", "trigger": "user"}).shared
    found = read(
        "context-surfacing", {"prompt": "hi", "trigger": "user", "private": True, "session_key": "agent:main:main"}
    )
    assert isinstance(found, PromptSubmitted) and found.by_person and not found.shared
    assert not read("context-surfacing", {"prompt": "hi", "trigger": "heartbeat", "private": True}).by_person
    assert isinstance(read("session-bootstrap", {"source": "clear", "private": True}), SessionStarted)


@pytest.mark.parametrize(
    "turns", [None, 3, ["x"], [{"role": "system", "text": "x"}], [{"role": "user", "text": " "}], [{"role": 1}]]
)
def test_turns_of_an_odd_shape_are_passed_over(turns: Any) -> None:
    assert read("feedback-loop", {"turns": turns}).said == ()


def test_a_turn_is_what_was_said_last_and_what_was_answered() -> None:
    turns = [
        {"role": "user", "text": "a", "at": 5},
        {"role": "assistant", "text": "b"},
        {"role": "user", "text": "c", "at": True},
    ]
    found = read("feedback-loop", {"turns": turns, "turn_id": "t", "private": True})
    assert isinstance(found, TurnEnded) and (found.prompt, found.reply, found.turn) == ("c", "b", "t")
    assert found.said[0] == ("user", "a", 5) and found.said[1] == ("assistant", "b", None)


def test_the_reply_is_text_and_nothing_where_nobody_reads_it() -> None:
    openclaw = dialect("openclaw")
    assert openclaw.render("context-surfacing", HookReply("<vault-context>")) == "<vault-context>"
    assert openclaw.render("feedback-loop", HookReply("x")) == "" == openclaw.render("context-surfacing", HookReply())
    with pytest.raises(UsageError):
        read("pretool-inject", {})


def test_the_hint_to_ask_names_the_tool_that_there_is() -> None:
    assert "memory_search or" in dialect("openclaw").render("context-surfacing", HookReply(HINT))


def turn(text: str, name: str, **more: Any) -> bytes:
    turns = [{"role": "user", "text": text}, {"role": "assistant", "text": "Noted."}]
    return json.dumps({"session_id": "s", "private": True, "turn_id": name, "turns": turns, **more}).encode()


def test_a_turn_that_comes_twice_is_kept_once(home: Any) -> None:
    asked = ("hook", "feedback-loop", "--host", "openclaw")
    for stdin in (turn("We water at six.", "a"), turn("We water at six.", "a"), turn("And the pump is blue.", "b")):
        assert home.hearth(*asked, stdin=stdin).code == 0
    kept = home.hearth("capture", "run", "--all", "--json")
    assert kept.code == 0, kept.err
    assert json.loads(kept.out)["turns"] == 2
    found = json.loads(home.hearth("log", "--json").out)
    assert '"openclaw"' in json.dumps(found)


def test_the_state_of_a_session_is_back_after_its_compaction(home: Any) -> None:
    told = ("We decided to run the controller on the Pico.", "Next we wire valve 3.")
    for at, text in enumerate(told):
        assert home.hearth("hook", "feedback-loop", "--host", "openclaw", stdin=turn(text, f"{at}")).code == 0
        assert home.hearth("capture", "run", "--all").code == 0
    event = json.dumps({"session_id": "s", "private": True, "source": "compact"}).encode()
    assert home.hearth("hook", "precompact-extract", "--host", "openclaw", stdin=event).code == 0
    found = home.hearth("hook", "postcompact-inject", "--host", "openclaw", stdin=event).out
    assert "# This session" in found and all(text.rstrip(".") in found for text in told), found


def test_what_is_to_be_remembered_is_a_memory_at_once(home: Any) -> None:
    stdin = turn("Remember that the pump of the greenhouse is painted blue.", "a")
    assert home.hearth("hook", "feedback-loop", "--host", "openclaw", stdin=stdin).code == 0
    assert home.hearth("capture", "run").code == 0
    assert "painted blue" in home.hearth("query", "which colour is the pump of the greenhouse").out


def test_the_owners_words_are_labelled_as_theirs_and_what_others_said_is_nobodys(home: Any) -> None:
    def run(hook: str, stdin: bytes) -> str:
        found = home.hearth("hook", hook, "--host", "openclaw", stdin=stdin)
        assert found.code == 0, found.err
        return str(found.out)

    said = "We decided to run the controller on the Pico, because the ESP32 loses its network."
    run("feedback-loop", turn(said, "a"))
    run("feedback-loop", turn("We decided to run the siren on the Pico, because it is loud.", "b", private=False))
    assert home.hearth("capture", "run", "--all").code == 0
    assert home.hearth("remember", "--type", "fact", "The controller sits in a box of tin.").code == 0
    asked = {
        "session_id": "t",
        "private": True,
        "trigger": "user",
        "prompt": "What did we decide about the controller?",
    }
    block = run("context-surfacing", json.dumps(asked).encode())
    heads = [line for line in block.split("\n") if line.startswith("- ")]
    assert any("| decision |" in line and "the user's words" in line for line in heads), block
    assert not any("by agent" in line for line in heads if "| decision |" in line or "| handoff |" in line), block
    hits = home.hearth("query", "controller Pico box of tin", "--limit", "9").out
    assert "the user's words" in hits and "by agent" in hits and "siren" not in hits
