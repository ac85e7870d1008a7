"""Claude Code with nothing of Hearth but the block of instructions and the MCP server: which tools ten questions call.

The model is a stand-in that knows only what reaches it: it finds the row of the block that fits the kind of question,
and calls the tool that this row names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import Home, Provider, client

# A question, words of the row that fits it, and the arguments beside those that the row gives.
QUESTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("How do we bake the rye bread?", "any, in any wording", {"query": "how do we bake the rye bread?"}),
    ("Why did we stop using JWT?", "why, since when", {"query": "why did we stop using JWT for sessions?"}),
    ("What happened in March 2026?", "when, what happened", {"query": "what happened in March 2026?"}),
    ("Compare PostgreSQL and MongoDB for us.", "compare", {"query": "compare PostgreSQL and MongoDB for us"}),
    ("What else is like that decision?", "what else", {"reference": "0008-server-side-sessions.md"}),
    ("Where did we stop last time?", "last time", {}),
    ("Where is pg_restore mentioned?", "an exact word", {"query": "pg_restore"}),
    ("Which decisions are from this year?", "of one type", {"query": "decisions", "types": ["decision"]}),
    ("How do I like my commits?", "how the user wants", {}),
    ("Facts about PostgreSQL?", "entities", {"operation": "kg_query", "arguments": {"name": "PostgreSQL"}}),
]
EXPECTED = [
    "memory_retrieve", "intent_search", "memory_retrieve timeline", "memory_retrieve complex", "find_similar",
    "session_log", "search", "query", "profile", "hearth",
]  # fmt: skip
_LOOKS = 40


class Reader(Provider):
    """Takes the block from the request and answers each question by the tool of its row."""

    def __init__(self) -> None:
        super().__init__()
        self.left = list(QUESTIONS)
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.looked_up = 0

    def messages(self, body: Mapping[str, Any]) -> bytes:
        """The client lists tools of servers by name alone; the first call of one loads its description."""
        tools = {tool["name"] for tool in body.get("tools", [])}
        if self.left:
            question, kind, arguments = self.left[0]
            row = next((row for row in find_rows(body) if kind in row), "")
            named = re.findall(r"`([a-z_]+)`", row.split("|")[2]) if row else []
            mode = re.search(r"`mode: (\w+)`", row)
            if named and (name := f"mcp__hearth__{named[0]}") in tools:
                self.left.pop(0)
                given = arguments | ({"mode": mode[1]} if mode else {})
                self.plan = [(name, given)]
                self.calls.append((question, f"{named[0]}{' ' + mode[1] if mode else ''}", given))
            elif named and self.looked_up < _LOOKS:  # a server that still starts has no tools
                self.looked_up += 1
                self.plan = [("ToolSearch", {"query": f"select:{name}", "max_results": 1})]
        return super().messages(body)


def find_rows(body: Mapping[str, Any]) -> list[str]:
    """The rows of the block, from wherever the client puts it."""
    text = json.dumps([body.get("system"), body.get("messages")], ensure_ascii=False)
    block = text.partition("## Memory (Hearth)")[2].partition("Search once")[0]
    return [row for row in block.replace("\\n", "\n").splitlines() if row.startswith("| ")]


@pytest.fixture(scope="session")
def claude() -> Path:
    """Asked for before anything is prepared for it."""
    return client("HEARTH_TEST_CLAUDE", "claude")


@pytest.fixture
def reader() -> Any:
    found = Reader()
    yield found
    found.close()


def test_ten_questions_call_the_tools_that_the_block_names(claude: Path, home: Home, reader: Reader) -> None:
    (home.folder / ".claude").mkdir()
    home.hearth("setup", "instructions")
    (home.folder / ".claude" / "skills").rename(home.folder / "skills")  # the block alone
    home.hearth("setup", "mcp")
    variables = {"ANTHROPIC_BASE_URL": reader.url, "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1"}
    variables |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1"}
    prompt = "\n".join(question for question, *_ in QUESTIONS)
    done = home.run(claude, "-p", prompt, "--output-format", "json", "--allowedTools", "mcp__hearth", **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [called for _, called, _ in reader.calls] == EXPECTED, reader.calls
    results = [
        block
        for message in reader.requests[-1]["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]
    results = [block for block in results if "tool_reference" not in json.dumps(block)]
    assert len(results) == len(QUESTIONS)
    assert not [block for block in results if block.get("is_error")], results
    said = json.dumps(results, ensure_ascii=False)
    assert "kitchen tablet had been stolen" in said
