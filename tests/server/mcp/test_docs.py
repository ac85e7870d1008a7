"""docs/mcp.md says what there is: every tool, its arguments as the live schema has them, an example that works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.server.answers import Ask
from tests.tool import load_tool

from hearth.operations import problems
from hearth.server.mcp import resources
from hearth.server.mcp.tool import tools

PAGE = (
    next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "docs" / "mcp.md"
).read_text(encoding="utf-8")
SECTIONS = dict(zip(*[iter(re.split(r"^### (\w+)$", PAGE, flags=re.MULTILINE)[1:])] * 2, strict=True))


def example(name: str) -> dict[str, Any]:
    [block] = re.findall(r"^```json\n(.*?)^```$", SECTIONS[name], re.MULTILINE | re.DOTALL)
    found: dict[str, Any] = json.loads(block)
    return found


def test_the_page_has_every_tool_in_the_order_of_the_list() -> None:
    assert list(SECTIONS) == list(tools())


def test_the_page_has_each_description_and_argument_as_the_schema_has_it() -> None:
    reference = load_tool("reference")
    assert reference.render_mcp(PAGE) == PAGE, "run: python tools/reference.py"
    changed = PAGE.replace("| `from_line` |", "| `first_line` |").replace("*(core, reads)*", "*(core, writes)*")
    assert changed != PAGE
    assert reference.render_mcp(changed) == PAGE


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
    for uri in (resources.STATUS, resources.TEMPLATE, *(str(prompt["name"]) for prompt in resources.PROMPTS)):
        assert f"`{uri}`" in PAGE
