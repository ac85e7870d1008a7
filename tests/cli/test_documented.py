from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hearth.cli.commands import COMMANDS, cli

PAGE = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "docs" / "cli.md"
COMMON = {"--vault", "--debug", "--help", "--version", "--json"}


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            for inner, sub in command.commands.items():
                yield f"{name} {inner}", sub


def sections() -> dict[str, str]:
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^#{2,3} hearth (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented_options(section: str) -> set[str]:
    rows = re.findall(r"^\| (`-.*?) \|", section, flags=re.MULTILINE)
    return {option for row in rows for option in re.findall(r"`(--?[a-z-]+)", row)}


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    assert set(sections()) == {name for name, _ in commands()}


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_option_is_documented_and_every_documented_option_exists(name: str) -> None:
    command = dict(commands())[name]
    options = {o for p in command.params if isinstance(p, click.Option) for o in (*p.opts, *p.secondary_opts)}
    assert documented_options(sections()[name]) - COMMON == options - COMMON


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_section_has_an_example(name: str) -> None:
    if not isinstance(dict(commands())[name], click.Group):
        assert f"hearth {name}" in sections()[name]


def test_every_option_and_command_says_what_it_does() -> None:
    for name, command in commands():
        assert command.help, name
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, f"{name} {parameter.name}"
