"""One home: hooks and MCP entries go to the same vault, and everything of ours comes out again."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Result

from hearth.cli.agents.launcher import interpreter
from hearth.hosts.command import is_ours

Run = Callable[..., Result]


def hook_lines(home: Path) -> list[str]:
    settings = json.loads((home / ".claude" / "settings.json").read_text("utf-8"))
    handlers = [one for groups in settings["hooks"].values() for group in groups for one in group["hooks"]]
    assert all(map(is_ours, handlers))
    return [str(one["command"]) for one in handlers]


def test_hooks_and_server_get_the_same_folders_vault_and_settings(
    hearth: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_SEARCH_MMR_LAMBDA", "0.5")
    monkeypatch.setenv("HEARTH_API_TOKEN", "not-for-files")
    assert hearth("vault", "add", "work").code == 0
    assert hearth("--vault", "work", "setup", "claude-code").code == 0
    assert hearth("--vault", "work", "setup", "mcp").code == 0
    server = json.loads((home / ".claude.json").read_text("utf-8"))["mcpServers"]["hearth"]
    assert server["args"][-2:] == ["--vault", "work"]
    for line in hook_lines(home):
        for name, value in {**server["env"], "HEARTH_VAULT": "work"}.items():
            assert f"{name}={value}" in line
    assert server["env"]["HEARTH_SEARCH_MMR_LAMBDA"] == "0.5"
    assert "not-for-files" not in "".join(hook_lines(home)) + json.dumps(server)


def test_a_hook_gets_the_folders_though_its_host_knows_nothing_of_them(
    hearth: Run, home: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "it's python"
    script.write_text('#!/bin/sh\nprintf "%s" "$HEARTH_DATA_DIR"\n', encoding="utf-8")
    script.chmod(0o755)
    assert hearth("setup", "claude-code").code == 0
    for line in hook_lines(home):
        told = line.replace(shlex.quote(interpreter()), shlex.quote(str(script)))
        done = subprocess.run(
            ["sh", "-c", told], env={"PATH": environ["PATH"]}, capture_output=True, text=True, check=True
        )
        assert done.stdout == environ["HEARTH_DATA_DIR"]


def test_bootstrap_connects_what_it_is_told_to(hearth: Run, home: Path, notes: Path) -> None:
    result = hearth("bootstrap", str(notes), "--setup", "claude-code,mcp", "--json")
    assert result.code == 0, result.err
    assert json.loads(result.out)["new"] is True
    assert any(" session-bootstrap " in line for line in hook_lines(home)), "the briefing comes with the hooks"
    assert "hearth" in json.loads((home / ".claude.json").read_text("utf-8"))["mcpServers"]
    assert hearth("bootstrap", str(notes), "--setup", "emacs").code == 2
    assert hearth("bootstrap", str(notes), "--setup", "none").code == 0


def answered(environ: dict[str, str], answer: str, *arguments: str) -> str:
    """What a command prints to a person at a terminal who gives the same answer to whatever it asks."""
    leader, terminal = pty.openpty()
    command = [sys.executable, "-m", "hearth", *arguments]
    process = subprocess.Popen(
        command, env=environ | {"TERM": "xterm"}, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    shown, asked = b"", 0
    try:
        while chunk := os.read(leader, 65_536):
            shown += chunk
            while asked < shown.count(b"[y/N]"):
                os.write(leader, f"{answer}\n".encode())
                asked += 1
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(leader)
    assert process.wait(timeout=100) == 0, shown
    return shown.decode("utf-8")


def test_bootstrap_asks_a_person_at_a_terminal_and_connects_all_in_one_step(
    environ: dict[str, str], home: Path, notes: Path
) -> None:
    (home / ".claude").mkdir()
    # No agent's program, whose model would be offered, and no offer of an embedder.
    environ |= {"PATH": str(home), "HEARTH_EMBEDDING_PROVIDER": "static"}
    shown = answered(environ, "n", "bootstrap", str(notes))
    assert shown.count("Connect Claude Code?") == 1 and "hearth setup claude-code" in shown
    assert list((home / ".claude").iterdir()) == []
    shown = answered(environ, "y", "bootstrap", str(notes))
    assert shown.count("[y/N]") == 1, "of the agents that are here"
    lines = hook_lines(home)
    assert any(" session-bootstrap " in line for line in lines) and any(" context-surfacing " in line for line in lines)
    assert "hearth" in json.loads((home / ".claude.json").read_text("utf-8"))["mcpServers"]
    assert "[y/N]" not in answered(environ, "y", "bootstrap", str(notes)), "what is connected is not asked for again"


def test_bootstrap_asks_nothing_where_nobody_sits_at_a_terminal(hearth: Run, home: Path, notes: Path) -> None:
    (home / ".claude").mkdir()
    result = hearth("bootstrap", str(notes))
    assert result.code == 0 and "[y/N]" not in result.out + result.err
    assert list((home / ".claude").iterdir()) == []


def test_removing_an_agent_takes_its_server_along_and_leaves_no_empties(hearth: Run, home: Path) -> None:
    hearth("setup", "claude-code")
    hearth("setup", "mcp")
    result = hearth("setup", "claude-code", "--remove")
    assert result.code == 0 and "MCP server removed" in result.err
    assert list(home.iterdir()) == []


def test_uninstall_says_first_and_then_leaves_nothing_of_ours(hearth: Run, home: Path, vault: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {"other": {"command": "npx"}}}', encoding="utf-8")
    before = {str(file): file.read_bytes() for file in home.rglob("*") if file.is_file()}
    for name in ("claude-code", "codex", "gemini", "qwen", "cursor"):
        assert hearth("setup", name).code == 0
        assert hearth("setup", "mcp", "--client", name).code == 0
    preview = hearth("uninstall")
    assert preview.code == 0
    assert "would take the hooks of Claude Code out of" in preview.out and str(vault) in preview.out
    assert (home / ".claude" / "settings.json").exists()
    done = hearth("uninstall", "--yes")
    assert done.code == 0, done.err
    assert {str(file): file.read_bytes() for file in home.rglob("*") if file.is_file()} == before
    assert "Hearth is not installed in any agent" in hearth("uninstall").out
    assert (vault / "runbooks" / "restore.md").exists()


def test_uninstall_leaves_a_broken_file_alone_and_goes_on(hearth: Run, home: Path) -> None:
    hearth("setup", "codex")
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{broken", encoding="utf-8")
    result = hearth("uninstall", "--yes")
    assert result.code == 5 and "settings.json" in result.err
    assert not (home / ".codex" / "hooks.json").exists()


def test_a_vault_is_made_and_moved_with_its_memories(hearth: Run, home: Path, tmp_path: Path) -> None:
    assert hearth("vault", "add", "work", "--root", str(tmp_path / "projects")).code == 0
    assert hearth("vault", "add", "work").code == 4
    assert hearth("--vault", "work", "remember", "The forge closes at nine.").code == 0
    assert hearth("--vault", "work", "pin", "The forge closes at nine").code == 0
    moved = hearth("vault", "move", "work", str(tmp_path / "synced" / "work"))
    assert moved.code == 0, moved.err
    assert "forge" in hearth("--vault", "work", "query", "when does the forge close?").out
    assert json.loads(hearth("--vault", "work", "status", "--json").out)["states"]["pinned"] == 1
    rows = json.loads(hearth("vault", "list", "--json").out)["vaults"]
    assert {row["name"]: row["data"] for row in rows}["work"] == str(tmp_path / "synced" / "work")
    assert hearth("vault", "move", "work", str(tmp_path / "synced" / "work" / "below")).code == 2


def test_a_collection_follows_its_folder_with_what_is_known_of_it(hearth: Run, vault: Path, tmp_path: Path) -> None:
    assert hearth("pin", "restore.md").code == 0
    vault.rename(tmp_path / "renamed")
    assert hearth("collection", "move", "my-notes", str(tmp_path / "renamed")).code == 0
    status = json.loads(hearth("status", "--json").out)
    assert status["states"]["pinned"] == 1 and status["documents"] == 3


def test_a_vault_of_the_environment_can_get_a_collection(
    hearth: Run, home: Path, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_VAULTS", json.dumps({"team": {"data": str(tmp_path / "team")}}))
    result = hearth("--vault", "team", "bootstrap", str(notes))
    assert result.code == 0, result.err
    assert "restic" in hearth("--vault", "team", "query", "how do I restore the backup?").out
