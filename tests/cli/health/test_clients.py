"""``hearth doctor`` says in which agents Hearth is installed, and whether it answers there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def findings(hearth: Run, check: str) -> list[tuple[str, str, str | None]]:
    rows = json.loads(hearth("doctor", "--json").out)["findings"]
    return [(row["level"], row["message"], row["fix"]) for row in rows if row["check"] == check]


def test_an_agent_with_the_hooks_is_named_and_one_with_other_hooks_warned_of(
    hearth: Run, vault: Path, tmp_path: Path
) -> None:
    assert "no agent has the hooks" in findings(hearth, "agents")[0][1]
    assert hearth("setup", "claude-code").code == 0
    [(level, message, _)] = findings(hearth, "agents")
    assert (level, "Claude Code" in message) == ("ok", True)
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.write_text(settings.read_text("utf-8").replace("/hearth/stub.py", "/elsewhere/hearth/stub.py"), "utf-8")
    [(level, message, fix)] = findings(hearth, "agents")
    assert (level, "another installation" in message, fix) == ("warn", True, "run: hearth setup claude-code")


def test_a_registered_server_is_started_and_asked_for_its_tools(hearth: Run, vault: Path) -> None:
    assert "no client has" in findings(hearth, "mcp")[0][1]
    assert hearth("setup", "mcp", "--client", "cursor").code == 0
    [(level, message, _)] = findings(hearth, "mcp")
    assert level == "ok" and "Cursor lists" in message


def test_settings_that_are_broken_are_named(hearth: Run, vault: Path, tmp_path: Path) -> None:
    file = tmp_path / "home" / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"mcpServers": {', "utf-8")
    [(level, message, _)] = findings(hearth, "mcp")
    assert level == "fail" and str(file) in message
    file.write_bytes(b'{"x": "\xff"}')
    [(level, message, _)] = findings(hearth, "mcp")
    assert level == "fail" and str(file) in message
