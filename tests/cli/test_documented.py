"""docs/cli.md has a section with an example for every command, and its option tables are the commands' own."""

from __future__ import annotations

import re

import click
import pytest
from tests.tool import ROOT, load_tool

PAGE = ROOT / "docs" / "cli.md"


TOOL = load_tool("reference")
COMMANDS: dict[str, click.Command] = dict(TOOL.find_commands())


def sections() -> dict[str, str]:
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^#{2,3} hearth (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_has_a_section_and_the_option_tables_are_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert TOOL.render_cli(page) == page, "run: python tools/reference.py"


def test_every_option_stands_in_its_section_or_among_the_shared_ones_that_it_names() -> None:
    shared = PAGE.read_text(encoding="utf-8").split("## Shared options")[1].split("\n## ")[0]
    for name, section in sections().items():
        for option in COMMANDS[name].params:
            if isinstance(option, click.Option) and not option.hidden:
                long = max(option.opts, key=len)
                if long in {"--vault", "--debug", "--help", "--version", "--json"}:
                    continue
                row = re.compile(rf"^\| (?:`[^`]*`, )*`{long}[ `]", re.MULTILINE)
                named = re.search(rf"^\| \[shared\].*`{long}`", section, re.MULTILINE)
                assert row.search(section) or (named and row.search(shared)), f"{name} {long}"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_section_has_an_example(name: str) -> None:
    if not isinstance(COMMANDS[name], click.Group):
        assert f"hearth {name}" in sections()[name]


def test_every_option_and_command_says_what_it_does() -> None:
    for name, command in COMMANDS.items():
        assert command.help, name
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, f"{name} {parameter.name}"


def test_the_tool_notices_a_missing_section_and_a_changed_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    with pytest.raises(LookupError, match="completion"):
        TOOL.render_cli(re.sub(r"\n## hearth completion\n.*?(?=\n## )", "", page, flags=re.DOTALL))
    changed = page.replace("| `--raw` |", "| `--rare` |")
    assert changed != page
    assert TOOL.render_cli(changed) == page
