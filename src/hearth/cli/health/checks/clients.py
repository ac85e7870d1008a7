"""Agents: in which of them the hooks and the MCP server are installed, and whether these are those of this Hearth."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hearth import hosts
from hearth.app import Settings
from hearth.cli.health.checks.finding import FAIL, OK, WARN, Finding
from hearth.cli.setup import hooks as setup_hooks
from hearth.cli.setup import mcp as setup_mcp
from hearth.cli.setup import place as setup_place
from hearth.config.tree import DEFAULT_VAULT
from hearth.core.errors import HearthError
from hearth.hosts.clients import CLIENTS

_SECONDS = 20
_PROTOCOL = "2025-06-18"


def installed(chosen: Settings) -> Iterator[Finding]:
    """The hooks in the settings of every host."""
    home = setup_place.home(chosen)
    found = False
    for name in hosts.HOSTS:
        host = hosts.host(name)
        file = Path(host.settings(home, chosen.environ))
        look = setup_hooks.layout(host)
        if not setup_hooks.holds_ours(file, look):
            continue
        found = True
        text = file.read_text(encoding="utf-8-sig")  # it could be read just now
        said = setup_place.variables(chosen)
        launchers = [setup_place.launcher(said | more) for more in ({}, {"HEARTH_VAULT": chosen.vault.name})]
        ours = (
            setup_hooks.edits(host, choice, str(file), launcher).put(text) == text
            for choice in (False, True)
            for launcher in launchers
        )
        if any(ours):
            yield Finding("agents", OK, f"the hooks are in {host.title} ({file})")
        else:
            message = f"the hooks in {host.title} ({file}) are of another installation or an older version"
            yield Finding("agents", WARN, message, f"run: hearth setup {name}")
    if not found:
        yield Finding("agents", OK, "no agent has the hooks; hearth setup claude-code installs them")


def registered(chosen: Settings) -> Iterator[Finding]:
    """The MCP server in the settings of every client, and whether it answers."""
    home = setup_place.home(chosen)
    commands = [[*setup_place.server(), *vault] for vault in ([], ["--vault", chosen.vault.name])]
    titles: list[str] = []
    broken = False
    for name, client in CLIENTS.items():
        file = Path(client.file(home, chosen.environ, sys.platform))
        if not file.is_file():
            continue
        try:
            text = file.read_text(encoding="utf-8-sig")
            entries = [client.entry(command, setup_place.variables(chosen)) for command in commands]
            found = [setup_mcp.edits(client, entry, str(file)) for entry in entries]
            if found[0].strip(text) == text:
                continue
            current = any(one.put(text) == text for one in found)
        except (HearthError, OSError, ValueError) as error:
            broken = True
            yield Finding("mcp", FAIL, f"the settings of {client.title} can't be read: {_say(error, file)}")
            continue
        titles.append(client.title)
        if not current:
            message = f"the MCP server in {client.title} ({file}) is of another installation or vault"
            yield Finding("mcp", WARN, message, f"run: hearth setup mcp --client {name}")
    if titles:
        yield _handshake(commands[chosen.vault.name != DEFAULT_VAULT], ", ".join(titles))
    elif not broken:
        yield Finding("mcp", OK, "no client has the MCP server; hearth setup mcp registers it")


def _say(error: Exception, file: Path) -> str:
    return str(error) if isinstance(error, HearthError) else f"{file}: {error}"


def _handshake(command: list[str], titles: str) -> Finding:
    """Starts the server as a client does, and has it list its tools."""
    about = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": {"name": "hearth-doctor", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    pipe = subprocess.PIPE
    tools = None
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdin is not None
        with suppress(OSError):  # it ended before it read
            process.stdin.write(text)
            process.stdin.flush()
            tools = _tools(process)
        process.kill()
    if tools is None:
        return Finding("mcp", FAIL, f"the MCP server does not answer ({titles})", f"run: {' '.join(command)}")
    return Finding("mcp", OK, f"the MCP server of {titles} lists {tools} tools")


def _tools(process: subprocess.Popen[str]) -> int | None:
    assert process.stdout is not None
    end = threading.Timer(_SECONDS, process.kill)
    end.start()
    try:
        for line in process.stdout:
            found = json.loads(line)
            if found.get("id") == 2:
                return len(found["result"]["tools"])
    except (ValueError, KeyError, TypeError):
        return None
    finally:
        end.cancel()
    return None
