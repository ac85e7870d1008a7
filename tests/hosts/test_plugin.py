"""The plugin of Claude Code agrees with what ``hearth setup`` would install."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from hearth.cli.commands import cli
from hearth.hosts import host
from hearth.hosts.command import is_our_server, is_ours
from hearth.server.mcp.tool import tools

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
MARKET = ROOT / "integrations" / "claude-code"
PLUGIN = MARKET / "hearth"


def read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def handlers() -> dict[str, tuple[str, str | None, dict[str, Any]]]:
    """Hook -> event, matcher, entry."""
    found = {}
    for event, groups in read(PLUGIN / "hooks" / "hooks.json")["hooks"].items():
        for group in groups:
            (entry,) = group["hooks"]
            hook = re.search(r"exec hearth-hook ([a-z-]+) --host auto;", entry["command"])
            assert hook is not None, entry
            found[hook[1]] = (event, group.get("matcher"), entry)
    return found


def test_the_hooks_are_those_that_setup_installs_without_a_briefing() -> None:
    expected = {
        item.hook: (item.event, item.matcher) for item in host("claude-code").registrations if not item.bootstrap
    }
    assert {hook: (event, matcher) for hook, (event, matcher, _) in handlers().items()} == expected


def test_every_entry_is_one_line_for_the_shell_that_codex_takes_as_well() -> None:
    limits = {item.hook: item.seconds for item in host("codex").registrations}
    for hook, (_, _, entry) in handlers().items():
        assert entry.keys() == {"type", "command", "timeout"}
        assert is_ours(entry)
        # Codex has no event for a tool that failed.
        assert entry["timeout"] == limits.get(hook, 5)


@pytest.mark.parametrize("hook", sorted(handlers()))
def test_without_hearth_a_hook_succeeds_and_says_nothing(hook: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", handlers()[hook][2]["command"]],
        env={"PATH": str(tmp_path)},
        input="{}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip() or "{}", done.stderr) == (0, "{}", "")
    assert bool(done.stdout) == (hook == "feedback-loop"), "Codex wants an object at the end of a turn"


def test_with_hearth_a_hook_gets_the_event_and_its_output_is_kept(tmp_path: Path) -> None:
    script = tmp_path / "hearth-hook"
    script.write_text('#!/bin/sh\necho "$@"\n/bin/cat\n', encoding="utf-8")
    script.chmod(0o755)
    for hook, (_, _, entry) in handlers().items():
        done = subprocess.run(
            ["/bin/sh", "-c", entry["command"]],
            env={"PATH": f"{tmp_path}{os.pathsep}/nowhere"},
            input='{"a": 1}',
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f'{hook} --host auto\n{{"a": 1}}'


def test_the_marketplace_offers_the_plugin_under_its_name_and_version() -> None:
    market, plugin = (
        read(MARKET / ".claude-plugin" / "marketplace.json"),
        read(PLUGIN / ".claude-plugin" / "plugin.json"),
    )
    (offer,) = market["plugins"]
    assert (offer["name"], plugin["name"], market["name"]) == ("hearth", "hearth", "hearth")
    assert (MARKET / offer["source"]).resolve() == PLUGIN
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{plugin["version"]}"' in project


def test_the_server_of_the_plugin_is_ours() -> None:
    (entry,) = read(PLUGIN / ".mcp.json")["mcpServers"].values()
    assert is_our_server(entry)


def test_every_tool_that_the_skill_names_exists() -> None:
    text = (PLUGIN / "skills" / "hearth" / "SKILL.md").read_text("utf-8")
    head, body = text.removeprefix("---\n").split("\n---\n", 1)
    assert re.match(r"name: hearth\ndescription: \S", head)
    there = set(tools())
    rows = [row.split("|")[2] for row in body.splitlines() if row.startswith("| ") and not row.startswith("|---")]
    named = {name for row in rows for name in re.findall(r"`([a-z]+(?:_[a-z]+)*)`", row)}
    arguments = {name for tool in tools().values() for name in tool.takes["properties"]}
    assert len(named & there) > 8 and named - arguments <= there


def test_every_command_that_the_curator_names_exists_and_nothing_that_it_may_run_erases() -> None:
    text = (PLUGIN / "agents" / "curator.md").read_text("utf-8")
    head, body = text.removeprefix("---\n").split("\n---\n", 1)
    described = yaml.safe_load(head)
    assert described["name"] == "curator" and "asks" in described["description"]
    assert described["tools"].split(", ") == ["Bash", "AskUserQuestion"]
    context = click.Context(cli)
    named = re.findall(r"`hearth ([a-z-]+(?: [a-z-]+| --[a-z-]+)*)", body)
    assert {"curate --json", "curate --apply --json", "undo --run", "review show"} <= set(named)
    for words in named:
        name, *rest = words.split()
        command = cli.get_command(context, name)
        assert command is not None, words
        if isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            command = command.commands[rest.pop(0)]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {option for option in rest if option.startswith("-")} <= options, words
    assert re.findall(r"[^.]*`hearth purge`[^.]*\.", body) == re.findall(r"[^.]*Never run `hearth purge`[^.]*\.", body)


def test_the_page_of_the_plugin_is_long_enough_to_be_listed() -> None:
    assert len((PLUGIN / "README.md").read_text("utf-8").split()) >= 40
