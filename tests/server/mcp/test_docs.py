"""docs/mcp.md says what there is: every tool, its arguments as the live schema has them, an example that works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.server.answers import Ask

from hearth.operations import catalog, problems
from hearth.operations.arguments import Schema
from hearth.server.mcp import prompts, resources
from hearth.server.mcp.tool import tools

PAGE = (
    next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "docs" / "mcp.md"
).read_text(encoding="utf-8")
SECTIONS = dict(zip(*[iter(re.split(r"^### (\w+)$", PAGE, flags=re.MULTILINE)[1:])] * 2, strict=True))


def takes(schema: Schema) -> str:
    """How the page says what an argument takes."""
    kind = schema["type"]
    if "enum" in schema:
        return "choice" if len(schema["enum"]) > 8 else " / ".join(schema["enum"])
    if kind == "string":
        return f"text, {schema['maxLength']:,} characters"
    if kind == "boolean":
        return "true / false"
    if kind == "object":
        return "object"
    return (
        f"list of {schema['maxItems']} at most"
        if kind == "array"
        else f"{schema['minimum']:,} to {schema['maximum']:,}"
    )


def example(name: str) -> dict[str, Any]:
    [block] = re.findall(r"^```json\n(.*?)^```$", SECTIONS[name], re.MULTILINE | re.DOTALL)
    found: dict[str, Any] = json.loads(block)
    return found


def test_the_page_has_every_tool_in_the_order_of_the_list() -> None:
    assert list(SECTIONS) == list(tools())


@pytest.mark.parametrize("name", tools())
def test_the_page_states_each_argument_as_the_schema_has_it(name: str) -> None:
    tool = tools()[name]
    operation = tool.operation
    kind = "reads" if not operation.writes else "destructive" if operation.destructive else "writes"
    marks = ", ".join(["core"] * (name in catalog.CORE) + [kind])
    assert SECTIONS[name].strip().split("\n")[0] == f"{tool.description} *({marks})*"
    rows = re.findall(r"^\| (`\w+`.*?) \| (.*?) \| (.*) \|$", SECTIONS[name], re.MULTILINE)
    assert rows == [
        (f"`{argument}`" + " **required**" * (argument in tool.takes["required"]), takes(schema), schema["description"])
        for argument, schema in tool.takes["properties"].items()
        if argument != "vault"
    ]


def test_every_example_fits_its_schema_and_runs(ask: Ask) -> None:
    ask("vault_sync")
    for name in tools():
        tools()[name].view.read(example(name))
        given = example(name)
        if name == "memory_undo":
            pinned = ask("memory_pin", reference="0002-sessions.md")
            given["event"] = (pinned.structured_content or {})["events"][-1]
        assert not ask(name, given).is_error, name


def test_the_page_names_codes_resources_and_prompts() -> None:
    assert {*problems._HINTS, "internal"} <= set(re.findall(r"`(\w+)`", PAGE))
    for uri in (resources.STATUS, resources.TEMPLATE, *(str(prompt["name"]) for prompt in prompts.LISTED)):
        assert f"`{uri}`" in PAGE
