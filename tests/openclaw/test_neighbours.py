"""OpenClaw with other plugins, subagents in groups, and an upgrade that renamed its hooks."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import hearth
from hearth.cli.agents.openclaw import plugin_folder

from .conftest import TREES, Host, add_other, open_gateway, since_answer, texts, until

pytestmark = pytest.mark.timeout(900)

GROUP = "agent:main:telegram:group:-100"
TASK = "Which colour do the pumps have? This is for"


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


def start_daemon_of(host: Host, days: int) -> None:
    """The daemon of an installation that was made so many days later than this one, with another build therefore."""
    package = Path(hearth.__file__).parent
    other = host.folder / f"build{days}" / "hearth"
    shutil.copytree(package, other, ignore=shutil.ignore_patterns("__pycache__"))
    moment = (package / "stub.py").stat().st_mtime + days * 86_400
    os.utime(other / "stub.py", (moment, moment))
    host.hearth("daemon", "stop")
    former = dict(host.environ)
    host.environ["PYTHONPATH"] = str(other.parent)
    try:
        host.run(sys.executable, "-m", "hearth", "daemon", "start")
    finally:
        host.environ.clear()
        host.environ.update(former)


def test_an_older_daemon_is_replaced_and_a_newer_one_costs_the_model_nothing_but_its_memory(tmp_path: Path) -> None:
    asked: list[int] = []

    def ask() -> bool:
        """Whether the turn came with a block; it ends well in any case."""
        before = len(host.requests)
        tree = TREES[len(asked) % len(TREES)]  # what was shown once is not shown again
        asked.append(before)
        host.post(f"Where does the {tree} stand, asked for the {before}th time?")
        return "<vault-context>" in "\n".join(texts(since_answer(host.requests[before]), "user"))

    with open_gateway(tmp_path, "memory") as host:
        for tree in TREES:
            host.hearth("remember", "--type", "fact", f"The {tree} stands behind the barn.")
        until(ask)
        start_daemon_of(host, 1)
        assert not ask() and not ask()
        assert "the daemon belongs to another installation" in host.hearth("doctor", code=None)
        start_daemon_of(host, -1)
        until(ask)
        assert "belongs to another installation" not in host.hearth("doctor", code=None)
        until(lambda: not list((tmp_path / "state").rglob("hearth-waiting/*")))
        host.hearth("capture", "run", "--all")
        said = re.findall(r"^Where does .*", host.conversations(), re.MULTILINE)
        assert len(said) == len(set(said)) == len(asked)
