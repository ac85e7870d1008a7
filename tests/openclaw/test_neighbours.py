"""OpenClaw with other plugins, subagents in groups, and an upgrade that renamed its hooks."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hearth.cli.agents.openclaw import plugin_folder

from .conftest import Host, open_gateway, since_answer, texts, until

pytestmark = pytest.mark.timeout(900)

GROUP = "agent:main:telegram:group:-100"
TASK = "Which colour do the pumps have? This is for"
CODE = """
import { appendFileSync } from "node:fs";

const note = (what) => appendFileSync(CALLS, `${what}\\n`);
const transcriptSemantics = {
  currentTurnFence: "before-current-turn-entry-v1",
  turnAdvancementIdempotency: "atomic-idempotent-v1",
};

export default {
  id: "other",
  name: "Other",
  register(api) {
    const promptBuilder = () => ["## Memory of the other plugin"];
    if (SLOT === "memory") return api.registerMemoryCapability({ promptBuilder });
    api.registerContextEngine("other", () => ({
      info: { id: "other", name: "Other", ownsCompaction: false, acceptedHostParams: [], transcriptSemantics },
      ingest: async () => ({ ingested: true }),
      assemble: async ({ messages }) => (note("assemble"), { messages, estimatedTokens: 1_000 }),
      compact: async () => ({ ok: true, compacted: false }),
      commitTurn: async () => (note("commit"), { status: "committed" }),
    }));
  },
};
"""


def add_other(folder: Path, slot: str) -> Callable[[dict[str, Any]], None]:
    """Another plugin, which has this slot."""
    place = folder / "other"
    kind = {"memory": "memory", "contextEngine": "context-engine"}[slot]
    schema = {"type": "object", "additionalProperties": False, "properties": {}}
    manifest = {"id": "other", "name": "Other", "version": "1.0.0", "kind": [kind], "configSchema": schema}
    package = {"name": "other", "version": "1.0.0", "type": "module", "openclaw": {"extensions": ["./index.js"]}}

    def change(settings: dict[str, Any]) -> None:
        place.mkdir()
        (place / "index.js").write_text(
            CODE.replace("SLOT", f'"{slot}"').replace("CALLS", f'"{place / "calls"}"'), "utf-8"
        )
        (place / "openclaw.plugin.json").write_text(
            json.dumps({**manifest, "description": "Another.", "activation": {"onStartup": True}}), "utf-8"
        )
        (place / "package.json").write_text(json.dumps(package), "utf-8")
        settings["plugins"] = {
            "load": {"paths": [str(place)]}, "slots": {slot: "other"}, "entries": {"other": {"enabled": True}},
        }  # fmt: skip

    return change


@pytest.mark.parametrize(("mode", "slot"), [("memory", "contextEngine"), ("engine", "memory")])
def test_beside_another_plugin_recall_and_capture_work_and_it_keeps_its_slot(
    tmp_path: Path, mode: str, slot: str
) -> None:
    with open_gateway(tmp_path, mode, change=add_other(tmp_path, slot)) as host:
        host.hearth("remember", "--type", "fact", "The spare key of the greenhouse hangs behind the blue door.")
        host.post("Where does the spare key of the greenhouse hang?")
        first = host.requests[0]
        assert "<vault-context>" in "\n".join(texts(first, "user"))
        host.kill_daemon()
        host.post("The walnut stands in bed 1 now.")
        host.hearth("daemon", "start")
        host.post("That is all.")
        if slot == "memory":
            assert "## Memory of the other plugin" in texts(first, "system")[0]
        else:
            assert (tmp_path / "other" / "calls").read_text("utf-8").count("commit") == 3
        settings = json.loads(host.settings.read_text("utf-8"))
        assert settings["plugins"]["slots"][slot] == "other"
        until(lambda: not list((tmp_path / "state").rglob("hearth-waiting/*")))
        host.hearth("capture", "run", "--all")
        assert [host.conversations().count(said) for said in ("walnut stands in bed 1", "That is all.")] == [1, 1]


def test_a_subagent_of_a_group_reads_what_is_shared_alone(tmp_path: Path) -> None:
    def change(settings: dict[str, Any]) -> None:
        settings["plugins"] = {"entries": {"hearth": {"config": {"groups": True}}}}

    with open_gateway(tmp_path, "memory", change=change) as host:
        handbook = tmp_path / "handbook"
        handbook.mkdir()
        (handbook / "pump.md").write_text("# Pump\n\nThe pump of the well is painted green.\n", "utf-8")
        host.hearth("collection", "add", str(handbook), "--name", "handbook")
        host.hearth("collection", "set", "handbook", "shared=true")
        host.hearth("update")
        host.hearth("remember", "--type", "fact", "The pump of the barn is painted blue.")
        host.answer = spawn
        assert_found(host, GROUP, found=("painted green",), hidden=("painted blue",))
        assert_found(host, "agent:main:main", found=("painted green", "painted blue"), hidden=())


def spawn(body: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """The agent starts a subagent, which searches the memory."""
    asked = since_answer(dict(body))
    prompts = "\n".join(texts(asked, "user"))
    calls: dict[str, Any] | None = None
    if not any(one["role"] == "tool" for one in asked["messages"]):
        if started := re.search(r"Start a subagent for \S+", prompts):
            calls = {"id": "sessions_spawn", "args": {"task": f"{TASK} {started[0].split()[-1]}"}}
        elif TASK in prompts:
            calls = {"id": "memory_search", "args": {"query": "which colour is the pump painted", "maxResults": 9}}
    if calls is None:
        return {"role": "assistant", "content": "Done."}, 100
    function = {"name": "tool_call", "arguments": json.dumps(calls)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }, 100


def assert_found(host: Host, session: str, *, found: tuple[str, ...], hidden: tuple[str, ...]) -> None:
    before = len(host.requests)
    host.post(f"Start a subagent for {session}", session)
    said: list[str] = []

    def has_searched() -> bool:
        said[:] = [
            text
            for sent in host.requests[before:]
            if f"{TASK} {session}" in "\n".join(texts(sent, "user"))
            for text in texts(since_answer(sent), "tool")
        ]
        return bool(said)

    until(has_searched)
    text = "\n".join(said)
    assert all(one in text for one in found) and not any(one in text for one in hidden), text


def test_hooks_that_an_upgrade_renamed_fail_silently_and_doctor_says_so(tmp_path: Path) -> None:
    with open_gateway(tmp_path, "memory") as host:
        renamed = tmp_path / "integrations" / "openclaw"
        shutil.copytree(plugin_folder(), renamed)
        code = (renamed / "index.js").read_text("utf-8")
        for name in ("before_prompt_build", "agent_end"):
            assert f'api.on("{name}"' in code
            code = code.replace(f'api.on("{name}"', f'api.on("{name}_v2"')
        (renamed / "index.js").write_text(code, "utf-8")
        text = host.settings.read_text("utf-8")
        host.settings.write_text(text.replace(str(plugin_folder()), str(renamed)), "utf-8")
        said = host.hearth("doctor", "openclaw", "--turn", "--openclaw", " ".join(host.program), code=1)
        assert "fail  recall: the memory was not brought" in said and "fail  capture: the turn is not kept" in said
        assert "ok    search: the search found it" in said


def test_removing_the_plugin_restores_settings_that_a_gateway_ran_with(tmp_path: Path) -> None:
    with open_gateway(tmp_path, change=add_other(tmp_path, "contextEngine")) as host:
        given = host.settings.read_text("utf-8").replace('"plugins": {', '// Mine.\n  "plugins": {', 1)
        host.settings.write_text(given, "utf-8")
        host.run(*host.program, "config", "validate")
        shown = host.hearth("setup", "openclaw", "--dry-run")
        assert '+        "hearth"' in shown or '"memory": "hearth"' in shown
        host.hearth("setup", "openclaw")
        host.run(*host.program, "config", "validate")
        host.post("Good morning.")
        host.hearth("setup", "openclaw", "--remove")
        assert host.settings.read_text("utf-8") == given
        host.run(*host.program, "config", "validate")
