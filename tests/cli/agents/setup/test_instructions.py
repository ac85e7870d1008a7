"""The instructions for agents about their memory: installed, edited, removed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from hearth.cli.agents.setup_instructions import read_instructions, read_skill
from hearth.cli.commands import cli
from hearth.operations.catalog import CORE, operations, tools

Run = Callable[..., Any]
MINE = b"# Mine\r\n\r\nNo newline at the end"


@pytest.fixture
def page(home: Path) -> Path:
    (home / ".claude").mkdir()
    file = home / ".claude" / "CLAUDE.md"
    file.write_bytes(MINE)
    return file


def files(home: Path) -> set[str]:
    hosts = [home / ".agents", home / ".claude", home / ".codex"]
    return {str(file.relative_to(home)) for folder in hosts for file in folder.rglob("*") if file.is_file()}


def test_a_host_that_is_here_gets_a_block_and_the_skill_and_is_as_before_when_they_go(
    hearth: Run, home: Path, page: Path
) -> None:
    done = hearth("setup", "instructions")
    assert done.code == 0, done.err
    block = page.read_text("utf-8").removeprefix(MINE.decode().replace("\r\n", "\n")).strip().splitlines()
    assert len(block) <= 40 and "hearth setup instructions --print" in "\n".join(block)
    skills = {".agents/skills/hearth/SKILL.md", ".claude/skills/hearth/SKILL.md"}
    assert files(home) == {".claude/CLAUDE.md", *skills}
    written = page.read_bytes()
    assert "nothing to change" in hearth("setup", "instructions").out and page.read_bytes() == written
    assert hearth("setup", "instructions", "--remove").code == 0
    assert page.read_bytes() == MINE and files(home) == {".claude/CLAUDE.md"}
    assert not (home / ".agents").exists()


def test_a_dry_run_shows_the_change_and_makes_none(hearth: Run, home: Path, page: Path) -> None:
    done = hearth("setup", "instructions", "--dry-run")
    assert "+## Memory (Hearth)" in done.out and page.read_bytes() == MINE and files(home) == {".claude/CLAUDE.md"}
    assert [one["action"] for one in json.loads(hearth("setup", "instructions", "--json").out)["files"]] == [
        "written"
    ] * 3
    hearth("setup", "instructions", "--remove", "--dry-run")
    assert page.read_bytes() != MINE


def test_what_somebody_edited_is_left_and_named(hearth: Run, home: Path, page: Path) -> None:
    hearth("setup", "instructions")
    hearth("setup", "curator")
    edited = [page, home / ".claude/skills/hearth/SKILL.md", home / ".claude/agents/curator.md"]
    for file in edited:
        file.write_text(file.read_text("utf-8").replace("Hearth", "the memory"), "utf-8")
    before = [file.read_bytes() for file in edited]
    said = "".join(
        hearth("setup", *words).err for words in (["instructions"], ["instructions", "--remove"], ["curator"])
    )
    assert [file.read_bytes() for file in edited] == before
    assert said.count("stays as it is") == 5
    assert files(home) == {str(file.relative_to(home)) for file in edited}, "the skill nobody touched is gone"


def test_a_project_gets_them_in_its_agents_md_where_that_alone_is_there(hearth: Run, home: Path) -> None:
    project = Path.cwd()
    (project / "AGENTS.md").write_text("# Ours\n")
    assert hearth("setup", "instructions", "--project").code == 0
    assert "hearth:instructions" in (project / "AGENTS.md").read_text("utf-8")
    assert not (project / "CLAUDE.md").exists()
    assert hearth("setup", "instructions", "--project", "--remove").code == 0
    assert sorted(path.name for path in project.iterdir()) == [".git", "AGENTS.md"]
    assert (project / "AGENTS.md").read_text() == "# Ours\n"


def test_without_a_host_and_outside_a_project_it_says_what_to_do(hearth: Run, home: Path) -> None:
    refused = hearth("setup", "instructions")
    assert refused.code == 2 and "--project" in refused.err


def test_the_curator_is_installed_from_the_wheel_and_taken_out(hearth: Run, home: Path, page: Path) -> None:
    assert hearth("setup", "curator").code == 0
    text = (home / ".claude" / "agents" / "curator.md").read_text("utf-8")
    assert text.startswith("---\nname: curator\n") and "hearth graph build" in text and "## Probes" in text
    assert hearth("setup", "curator", "--remove").code == 0
    assert files(home) == {".claude/CLAUDE.md"}


def test_uninstalling_takes_them_out_too(hearth: Run, home: Path, page: Path) -> None:
    hearth("setup", "instructions")
    hearth("setup", "curator")
    assert hearth("uninstall").out.count("would take what agents read") == 4
    assert hearth("uninstall", "--yes").code == 0
    assert files(home) == {".claude/CLAUDE.md"} and page.read_bytes() == MINE


def test_the_block_names_only_tools_of_the_default_list_and_their_arguments() -> None:
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`", read_instructions()))
    arguments = {name for core in CORE for name in tools()[core][1].view(tools()[core][0]).names}
    assert named - arguments <= set(CORE)
    assert len(named & set(CORE)) >= 15


def test_every_tool_and_command_that_the_skill_names_is_reachable(hearth: Run) -> None:
    text = hearth("setup", "instructions", "--print").out
    assert text.strip() == read_skill().strip()
    reachable = {*tools(), *operations()}
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text)) - {"as_of"}
    assert named <= reachable, named - reachable
    context = click.Context(cli)
    for words in re.findall(r"`hearth ([a-z][a-z-]*(?: [a-z][a-z-]+)*)", text):
        command: click.Command | None = cli
        for word in words.split():
            if not isinstance(command, click.Group):
                break
            command = command.get_command(context, word)
            assert command is not None, words
    assert read_instructions().count("`") < text.count("`")
