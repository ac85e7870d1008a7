"""Agents connected in one step, for ``hearth bootstrap``: hooks, briefing and MCP server."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from hearth import hosts
from hearth.cli.session import CommandSession, is_terminal
from hearth.cli.setup import hooks as setup_hooks
from hearth.cli.setup import mcp as setup_mcp
from hearth.cli.setup import place as setup_place
from hearth.core.errors import UsageError
from hearth.hosts.clients import CLIENTS

MCP = "mcp"
NONE = "none"
_FIRST = "claude-code"


def names(given: str) -> tuple[str, ...]:
    """Agents, and whether their MCP server: ``claude-code,mcp``. Raises ``UsageError``."""
    found = tuple(dict.fromkeys(part.strip().lower() for part in given.split(",") if part.strip()))
    known = (*hosts.HOSTS, MCP, NONE)
    for name in found:
        if name not in known:
            raise UsageError(f"--setup {name!r} is unknown; choose among, with commas between: {', '.join(known)}")
    if not found or (NONE in found and len(found) > 1):
        raise UsageError(f"--setup takes {NONE}, or some of: {', '.join(known[:-1])}")
    return () if found == (NONE,) else found


def connect(session: CommandSession, wanted: Iterable[str]) -> None:
    """Installs what is named; the MCP server alone goes into Claude Code."""
    wanted = list(wanted)
    agents = [name for name in wanted if name != MCP]
    for name in agents:
        wish = setup_hooks.HookSetup(name, bootstrap=None, remove=False, dry_run=False, project=False)
        setup_hooks.carry_out(session, wish, as_json=False)
    for name in (agents or [_FIRST]) if MCP in wanted else []:
        server = setup_mcp.ServerSetup(name, remove=False, dry_run=False, project=False)
        setup_mcp.carry_out(session, server, as_json=False)


def asked(session: CommandSession) -> tuple[str, ...]:
    """What a person at a terminal wants of the agents that are here and not connected yet; nothing elsewhere."""
    if not (sys.stdin.isatty() and is_terminal()):
        return ()
    settings = session.settings()
    home = setup_place.home(settings)
    found: list[str] = []
    for name in hosts.HOSTS:
        host = hosts.host(name)
        file = Path(host.settings(home, settings.environ))
        if not file.parent.is_dir() or setup_hooks.holds_ours(file, setup_hooks.layout(host)):
            continue
        question = f"Connect {host.title}? It is told at the start, and before each prompt, what your notes know of it"
        if click.confirm(question, default=False):
            found += [name, *([MCP] if name in CLIENTS else [])]
    return tuple(dict.fromkeys(found))
