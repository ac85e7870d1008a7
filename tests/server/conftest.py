from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult
from tests.server.answers import Ask

from hearth.app import open_vault
from hearth.app.pool import VaultPool
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import tools

NOTES = {
    "decisions/0001-postgres.md": (
        "---\nauthored_at: 2026-03-05\n---\n"
        "# PostgreSQL over MongoDB\n\nWe chose PostgreSQL because joins matter more.\n"
    ),
    "decisions/0002-sessions.md": "# Sessions in PostgreSQL\n\nSessions live in PostgreSQL, for the same reason.\n",
    "runbooks/restore.md": (
        "# Restore from backup\n\nFetch the dump with restic.\n\nThen load it with pg_restore into a new database.\n"
    ),
    "daily/2026-03-05.md": "# Thursday\n\n- Baked bread with rye flour.\n- Walked the dog along the river.\n",
}
DOCS = {"payroll.md": "# Payroll\n\nThe zanzibar ledger pays salaries on the last Friday.\n"}
CONFIG = """
collections:
  notes: {{path: "{home}/notes"}}
vaults:
  default: {{}}
  work: {{collections: {{docs: {{path: "{home}/docs"}}}}}}
"""


def write(folder: Path, notes: Mapping[str, str]) -> None:
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


@pytest.fixture(scope="session", autouse=True)
def each_schema_checked_once() -> Iterator[None]:
    """The official client checks the schema of each tool anew for each session, which takes longer than the call."""
    checked: set[str] = set()
    check = Draft202012Validator.check_schema

    def check_once(schema: Any, *more: Any) -> None:
        text = json.dumps(schema, sort_keys=True)
        if text not in checked:
            check(schema, *more)
            checked.add(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", check_once)
        yield


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Two vaults, indexed: ``default`` with the collection ``notes``, ``work`` with ``docs``."""
    write(tmp_path / "notes", NOTES)
    write(tmp_path / "docs", DOCS)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(CONFIG.format(home=tmp_path), encoding="utf-8")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HEARTH_", "CLAUDE")) and name != "PYTEST_CURRENT_TEST"
    }
    found = kept | {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data", "cache", "state")}
    found["HOME"] = str(tmp_path / "home")
    for name in ("default", "work"):
        with open_vault(name, environ=found) as vault:
            vault.index.sync()
    return found


@pytest.fixture
def vaults(environ: dict[str, str]) -> Iterator[VaultPool]:
    found = VaultPool(environ=environ)
    yield found
    found.close()


@pytest.fixture
def server(vaults: VaultPool) -> HearthServer:
    return HearthServer(vaults, tools())


@pytest.fixture
def ask(server: HearthServer) -> Ask:
    return asking(server)


def asking(server: HearthServer) -> Ask:
    """Calls a tool through the official client, in this process; never by way of an error of the protocol."""

    def asked(tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> CallToolResult:
        async def call() -> CallToolResult:
            async with Client(server) as client:
                return await client.call_tool(tool, {**(arguments or {}), **more})

        return anyio.run(call)

    return asked
