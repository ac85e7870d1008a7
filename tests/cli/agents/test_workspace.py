"""A folder of an agent's own, made from templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hearth.app import hooks, open_vault
from hearth.config import Config
from hearth.context.engine.assembly import AssembleRequest
from hearth.context.engine.sessions import SessionId
from hearth.core.hook import SessionStarted
from hearth.vault.vault import Vault


def test_a_workspace_is_made_once_and_read_when_a_session_begins(
    hearth: Callable[..., Any], tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = tmp_path / "clawd"
    folder.mkdir()
    (folder / "SOUL.md").write_text("I am Nils.\n")
    assert hearth("setup", "workspace", str(folder), "--dry-run").code == 0
    assert [path.name for path in folder.iterdir()] == ["SOUL.md"]
    found = hearth("setup", "workspace", str(folder))
    assert found.code == 0, found.err
    assert "wrote" in found.out
    assert (folder / "SOUL.md").read_text() == "I am Nils.\n"
    assert {path.name for path in folder.iterdir()} >= {"AGENTS.md", "USER.md", "TOOLS.md", "MEMORY.md", "memory"}
    assert "wrote" not in hearth("setup", "workspace", str(folder)).out
    (folder / "memory" / "2026-11-27.md").write_text("# Friday\n\nThe pelican server moved to Lisbon.\n")
    assert hearth("update").code == 0
    assert "Lisbon" in hearth("query", "where is the pelican server?").out
    with open_vault(environ=environ) as vault:
        sent = vault.context.assemble(SessionId("s1"), AssembleRequest(50_000, "Hello", private=True))
    assert "I am Nils." in sent.system
    assert "search: `memory_search`" in sent.system


def test_an_index_is_complete_where_an_agent_alone_sees_a_folder(hearth: Callable[..., Any], tmp_path: Path) -> None:
    made = hearth("setup", "workspace", str(tmp_path / "wk"), "--agent", "work").out
    assert "HEARTH_AGENT=work" in made
    assert hearth("update").code == 0
    assert "the index agrees with the files" in hearth("doctor").out
    status = hearth("status").out
    assert "wk: seen by the agent work alone" in status and "not indexed yet" not in status


def test_an_agent_s_name_is_plain(hearth: Callable[..., Any], tmp_path: Path, environ: dict[str, str]) -> None:
    assert hearth("setup", "workspace", str(tmp_path / "w"), "--agent", "../x").code == 2


def test_a_place_that_takes_no_folder_is_refused(hearth: Callable[..., Any]) -> None:
    refused = hearth("setup", "workspace", "/proc/nosuch/workspace")
    assert refused.code == 5
    assert "the system refuses /proc/nosuch" in refused.err


def begin_session(vault: Vault, folder: Path, host: str = "claude-code", shared: bool = False) -> str:
    """What an agent is told as a session in the folder begins."""
    began = SessionStarted(host=host, session=f"{folder}{host}", source="startup", cwd=str(folder), shared=shared)
    return hooks(vault, Config()).answer("session-bootstrap", began, 60_000).reply.context or ""


def test_what_an_agent_wrote_into_its_workspace_is_its_own(
    hearth: Callable[..., Any], tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = tmp_path / "clawd"
    hearth("setup", "workspace", str(folder))
    (folder / "MEMORY.md").write_text("# Memory\n\n- I think that YAML is a mistake; TOML reads better.\n")
    (folder / "repository").mkdir()
    (folder / "repository" / "README.md").write_text("# Pelican\n\nThe pelican is built with bazel.\n")
    assert hearth("update").code == 0
    assert "by agent" in hearth("search", "YAML or TOML").out
    assert "bazel" not in hearth("search", "pelican bazel").out, "no file of the memory"
    with open_vault(environ=environ) as vault:
        begun = begin_session(vault, folder)
    [heading] = [line for line in begun.splitlines() if "MEMORY.md" in line]
    assert "by agent" in heading and "TOML reads better" in begun


def test_a_session_in_a_workspace_begins_with_its_user_and_the_names_of_its_instructions(
    hearth: Callable[..., Any], tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = tmp_path / "clawd"
    hearth("setup", "workspace", str(folder))
    (folder / "USER.md").write_text("# Your user\n\n- Name: Ada\n")
    assert hearth("update").code == 0
    with open_vault(environ=environ) as vault:
        begun = begin_session(vault, folder)
        assert "Name: Ada" in begun and f"{folder}: SOUL.md, AGENTS.md, TOOLS.md" in begun
        for other in ((tmp_path,), (folder, "openclaw"), (folder, "claude-code", True)):
            begun = begin_session(vault, *other)
            assert "Name: Ada" not in begun and "SOUL.md" not in begun


def test_a_folder_that_is_a_collection_stays_as_it_is(hearth: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "clawd"
    folder.mkdir()
    (folder / "plan.md").write_text("The pelican is built with bazel.\n")
    assert hearth("collection", "add", str(folder), "--name", "mine").code == 0
    assert "collection mine" in hearth("setup", "workspace", str(folder)).out
    hearth("update")
    assert "bazel" in hearth("search", "pelican bazel").out
