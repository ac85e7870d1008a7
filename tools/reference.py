"""Writes the tables of ``docs/cli.md`` and ``docs/mcp.md`` out of the commands and the tools themselves.

An option that at least three commands share word for word stands once, under "Shared options"; their tables name it in
their last row. Everything else on both pages is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from hearth.cli.commands import COMMANDS, cli
from hearth.operations import catalog
from hearth.server.mcp.tool import tools

DOCS = Path(__file__).resolve().parents[1] / "docs"
_EVERYWHERE = frozenset({"--vault", "--debug", "--help", "--version", "--json"})
_SHARED_BY = 3
_COMMAND = re.compile(r"^#{2,3} hearth (.+)$", re.MULTILINE)
_TOOL = re.compile(r"^### (\w+)$", re.MULTILINE)
_SHARED = "## Shared options"
_TABLE = re.compile(r"(?:^\| (?:option|argument) \| [^\n]*\n\|[-|]+\n(?:\|[^\n]*\n)*)", re.MULTILINE)
_METAVARS = {"INTEGER": "N", "FLOAT": "X", "INTEGER RANGE": "N", "FLOAT RANGE": "X"}

Row = tuple[str, str]


def find_commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand with its full name, in the order of the help."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        if command is None:
            raise LookupError(f"the command {name} can't be loaded")
        yield name, command
        if isinstance(command, click.Group):
            for inner, sub in command.commands.items():
                yield f"{name} {inner}", sub


def render_cli(page: str) -> str:
    """``docs/cli.md`` with its tables brought up to date. Raises ``LookupError`` where a command has no section, or a
    section no command."""
    rows = {name: [_row(option) for option in _options(command)] for name, command in find_commands()}
    shared = _find_shared(rows.values())
    head, sections = _split(page, _COMMAND, rows)
    before, heading, after = head.partition(_SHARED)
    if not heading:
        raise LookupError(f"docs/cli.md has no section {_SHARED!r}")
    text = before + heading + _fill(after, _option_table(shared, ()))
    for name, (title, body) in sections.items():
        own = [row for row in rows[name] if row not in shared]
        text += title + _fill(body, _option_table(own, [row for row in rows[name] if row in shared]))
    return text.rstrip("\n") + "\n"


def render_mcp(page: str) -> str:
    """``docs/mcp.md`` likewise: each tool's description, and its arguments as the schema has them."""
    head, sections = _split(page, _TOOL, tools())
    text = head
    for name, (title, body) in sections.items():
        tool = tools()[name]
        operation = tool.operation
        kind = "reads" if not operation.writes else "destructive" if operation.destructive else "writes"
        marks = ", ".join(["core"] * (name in catalog.CORE) + [kind])
        rest = body.strip("\n").partition("\n")[2].strip("\n")
        text += title + _fill(f"{tool.description} *({marks})*\n\n{rest}", _argument_table(tool.takes))
    return text.rstrip("\n") + "\n"


def _split(page: str, heading: re.Pattern[str], names: Iterable[str]) -> tuple[str, dict[str, tuple[str, str]]]:
    """What stands before the first section, and of each section its heading and its body."""
    found = list(heading.finditer(page))
    ends = [*(match.start() for match in found[1:]), len(page)]
    sections = {match[1]: (match[0], page[match.end() : end]) for match, end in zip(found, ends, strict=True)}
    if unknown := sections.keys() ^ set(names):
        raise LookupError(f"these have no section, or are none: {', '.join(sorted(unknown))}")
    return page[: found[0].start()], sections


def _options(command: click.Command) -> Iterator[click.Option]:
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden and _EVERYWHERE.isdisjoint(option.opts):
            yield option


def _find_shared(found: Iterable[list[Row]]) -> list[Row]:
    """The rows of several commands; of two with the same option only the more common one."""
    shared: dict[str, Row] = {}
    for row, count in Counter(row for rows in found for row in rows).most_common():
        if count >= _SHARED_BY:
            shared.setdefault(_name(row), row)
    return [shared[name] for name in sorted(shared)]


def _name(row: Row) -> str:
    return row[0].split("`")[1].split(" ")[0]


def _row(option: click.Option) -> Row:
    value = "" if option.is_flag or option.count else f" {_value(option)}"
    names = [*sorted(option.opts, key=len, reverse=True), *option.secondary_opts]
    return ", ".join(f"`{name}{value if name == names[0] else ''}`" for name in names), _describe(option)


def _value(option: click.Option) -> str:
    name = option.make_metavar(click.Context(click.Command("x")))
    return _METAVARS.get(name, name).strip("[]").replace("|", "\\|")


def _describe(option: click.Option) -> str:
    text = (option.help or "").replace("|", "\\|")
    facts = ["required"] * option.required
    if isinstance(option.type, click.IntRange) and option.type.max is not None and option.type.max <= 1000:
        facts.append(f"{option.type.min} to {option.type.max}")
    facts += ["repeatable"] * option.multiple
    if option.show_default and option.default not in (None, ()):
        default = option.default
        facts.append(f"default {', '.join(default) if isinstance(default, (list, tuple)) else default}")
    return f"{text} [{'; '.join(facts)}]" if facts else text


def _option_table(rows: Iterable[Row], shared: Iterable[Row]) -> str:
    names = ", ".join(f"`{_name(row)}`" for row in shared)
    lines = [f"| {option} | {text} |" for option, text in rows]
    lines += [f"| [shared](#shared-options) | {names} |"] * bool(names)
    return "\n".join(("| option | what it does |", "|---|---|", *lines)) if lines else ""


def _argument_table(schema: Mapping[str, Any]) -> str:
    rows = [
        f"| `{name}`{' **required**' * (name in schema['required'])} | {_takes(each)} | {each['description']} |"
        for name, each in schema["properties"].items()
        if name != "vault"
    ]
    return "\n".join(("| argument | takes | meaning |", "|---|---|---|", *rows)) if rows else ""


def _takes(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "choice" if len(schema["enum"]) > 8 else " / ".join(schema["enum"])
    match schema["type"]:
        case "string":
            return f"text, {schema['maxLength']:,} characters"
        case "boolean":
            return "true / false"
        case "object":
            return "object"
        case "array":
            return f"list of {schema['maxItems']} at most"
        case _:
            return f"{schema['minimum']:,} to {schema['maximum']:,}"


def _fill(body: str, table: str) -> str:
    """The section with ``table`` in the place of its former one, else at its end."""
    found = _TABLE.search(body)
    before, after = (body[: found.start()], body[found.end() :]) if found else (body, "")
    parts = (part.strip("\n") for part in (before, table, after))
    return "\n\n" + "\n\n".join(part for part in parts if part) + "\n\n"


def main() -> int:
    for name, render in (("cli.md", render_cli), ("mcp.md", render_mcp)):
        page = DOCS / name
        page.write_text(render(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
