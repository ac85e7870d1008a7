"""Doctor: hooks and servers of agents, the daemon, and what acts without a person."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import hearth
from hearth import hosts, stub
from hearth.app import Settings
from hearth.app.settings import now_ms
from hearth.cli.agents import launcher, setup_hooks, setup_plugins
from hearth.cli.health.machine import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.config.tree import DEFAULT_VAULT
from hearth.core import instants
from hearth.core.errors import HearthError
from hearth.core.hook import PROBE
from hearth.core.instants import DAY_MS
from hearth.daemon.address import address
from hearth.daemon.client import ask
from hearth.daemon.run import running
from hearth.daemon.stub import client as stub_client
from hearth.daemon.stub.call import build
from hearth.disk.incognito import FILE, KEYS, NAME, DiskIncognito
from hearth.hook import log_of
from hearth.hosts.clients import CLIENTS
from hearth.truth.acts import PER_DAY
from hearth.truth.noticing import list_superseded_since
from hearth.vault.vault import Vault

_SECONDS = 20
_PROTOCOL = "2025-06-18"


def installed(chosen: Settings) -> Iterator[Finding]:
    """The hooks in the settings of every host."""
    home = launcher.home(chosen)
    found = False
    for name in hosts.HOSTS:
        host = hosts.host(name)
        file = Path(host.settings(home, chosen.environ))
        look = setup_hooks.layout(host)
        if not setup_hooks.holds_ours(file, look):
            continue
        found = True
        text = file.read_text(encoding="utf-8-sig")  # it could be read just now
        variables = launcher.variables(chosen)
        programs = [launcher.launcher(variables | more) for more in ({}, {"HEARTH_VAULT": chosen.vault.name})]
        ours = (
            setup_hooks.edits(host, choice, str(file), program).put(text) == text
            for choice in (False, True)
            for program in programs
        )
        if any(ours):
            yield Finding("agents", OK, f"the hooks are in {host.title} ({file})")
        else:
            message = f"the hooks in {host.title} ({file}) belong to another installation or an older version"
            yield Finding("agents", WARN, message, f"run: hearth setup {name}")
    if not found:
        yield Finding("agents", OK, "no agent has the hooks; install them: hearth setup claude-code")


def registered(chosen: Settings) -> Iterator[Finding]:
    """The MCP server in the settings of every client, and whether it answers."""
    home = launcher.home(chosen)
    commands = [[*launcher.server(), *vault] for vault in ([], ["--vault", chosen.vault.name])]
    titles: list[str] = []
    broken = False
    for name, client in CLIENTS.items():
        file = Path(client.file(home, chosen.environ, sys.platform))
        if not file.is_file():
            continue
        try:
            text = file.read_text(encoding="utf-8-sig")
            profiles: tuple[list[str], ...] = ([], ["--profile", "core"], ["--profile", "full"])
            entries = [
                client.entry([*command, *profile], launcher.variables(chosen))
                for command in commands
                for profile in profiles
            ]
            found = [setup_plugins.edits(client, entry, str(file)) for entry in entries]
            if found[0].strip(text) == text:
                continue
            current = any(one.put(text) == text for one in found)
        except (HearthError, OSError, ValueError) as error:
            broken = True
            yield Finding("mcp", FAIL, f"the settings of {client.title} can't be read: {_say(error, file)}")
            continue
        titles.append(client.title)
        if not current:
            message = f"the MCP server in {client.title} ({file}) belongs to another installation or vault"
            yield Finding("mcp", WARN, message, f"run: hearth setup mcp --client {name}")
    if titles:
        yield _handshake(commands[chosen.vault.name != DEFAULT_VAULT], ", ".join(titles))
    elif not broken:
        yield Finding("mcp", OK, "no client has the MCP server; register it: hearth setup mcp")


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


# An acknowledgement: it goes all the way and leaves no trace in what is remembered.
_PROMPT = {"session_id": PROBE, "hook_event_name": "UserPromptSubmit", "prompt": "ok", "cwd": "/"}
_HOOK_SECONDS = 10
_LATELY_MS = 2 * instants.DAY_MS


def daemon(chosen: Settings) -> Iterator[Finding]:
    at = address(os.environ)
    if not at.private():
        fix = "remove it, or set XDG_RUNTIME_DIR to a folder that is yours alone"
        yield Finding("daemon", FAIL, f"other users can access the folder {at.folder}, so there can be no socket", fix)
        return
    mode = chosen.loaded.config.daemon.mode
    began = time.monotonic()
    found = ask(at, "status")
    took = (time.monotonic() - began) * 1000
    if found is None and (holder := running(at)) is not None:
        yield Finding("daemon", FAIL, f"{holder} is the daemon but does not answer", "run: hearth daemon stop")
    elif found is None and mode == "external":
        message = "daemon.mode is external but no daemon is running"
        yield Finding("daemon", WARN, message, "run: hearth install-service --enable")
    elif found is None:
        idle = "the next hook starts it" if mode == "auto" else "daemon.mode is never"
        yield Finding("daemon", OK, f"not running ({idle})")
    elif found.get("build") != build():
        message = (
            f"the daemon belongs to another installation (version {found['version']}, this is {hearth.__version__})"
        )
        yield Finding("daemon", WARN, message, "run: hearth daemon stop")
    elif found["hash"] != at.agreement:
        message = "the daemon has different HEARTH_ variables, so hooks here run without it"
        yield Finding("daemon", WARN, message, "run: hearth daemon stop")
    elif found["problem"]:
        yield Finding("daemon", WARN, found["problem"], "run: hearth config show")
    else:
        yield Finding("daemon", OK, f"process {found['pid']} answers in {took:.0f} ms")
        yield from _jobs(found["vaults"])


def _jobs(vaults: list[dict[str, object]]) -> Iterator[Finding]:
    for vault in vaults:
        jobs = vault["jobs"]
        for job in jobs if isinstance(jobs, list) else []:
            if job["error"]:
                yield Finding("daemon", WARN, f"job {job['job']} of vault {vault['vault']} fails: {job['error']}")


def lately() -> Iterator[Finding]:
    """Hooks never show an error, so this is where it is seen."""
    log = log_of(os.environ)
    since = instants.show(instants.of(datetime.now(UTC)) - _LATELY_MS)
    lines = [line for line in log.last(200) if line[:20] >= since]
    if lines:
        yield Finding(
            "hooks", WARN, f"{plural(len(lines), 'failure')} in two days, the last: {lines[-1]}", f"see: {log.file}"
        )
    else:
        yield Finding("hooks", OK, "no failures in two days")


def round_trip() -> Iterator[Finding]:
    """Runs the stub as a host does."""
    if stub_client.is_disabled(os.environ):
        yield Finding("hook", WARN, "HEARTH_DISABLE is set, so hooks stay silent", "unset HEARTH_DISABLE")
        return
    flags = ("context-surfacing", "--host", stub_client.DEFAULT_HOST, stub_client.NO_START)
    command = [sys.executable, "-I", "-S", str(stub.__file__), *flags]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, input=json.dumps(_PROMPT).encode(), capture_output=True, timeout=_HOOK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        yield Finding(
            "hook", FAIL, f"a hook did not end within {_HOOK_SECONDS} s", "run: hearth hook context-surfacing"
        )
        return
    took = (time.monotonic() - began) * 1000
    if done.returncode or done.stderr or not _valid(done.stdout):
        message = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-200:]
        yield Finding(
            "hook", FAIL, f"a hook ended with {done.returncode} and printed: {message}", "reinstall hearth-memory"
        )
    else:
        yield Finding("hook", OK, f"a prompt was answered in {took:.0f} ms")


def _valid(data: bytes) -> bool:
    try:
        return not data.strip() or isinstance(json.loads(data), dict)
    except ValueError:
        return False


def dreaming(vault: Vault) -> Iterator[Finding]:
    """Nothing is said of what is as it should be."""
    for dreamer in vault.dream.every():
        problem = dreamer.pages.read().problem
        if problem is not None:
            yield Finding("dreaming", WARN, problem, f"edit {dreamer.pages.path}")


def noticing(vault: Vault) -> Iterator[Finding]:
    """Nothing is said of what is as it should be."""
    with vault.store.read() as reader:
        count = len(list_superseded_since(reader, vault.clock() - DAY_MS))
    if count >= PER_DAY:
        message = f"{count} memories were superseded automatically within a day; you are asked about the others"
        yield Finding("noticing", WARN, message, "see them with: hearth review")


def incognito(chosen: Settings) -> Iterator[Finding]:
    """Of this folder, of the list of what is incognito, and of agents without memory."""
    state = Path(chosen.folders.state)
    if without := chosen.loaded.config.agents_without_memory:
        yield Finding("agents", OK, f"without memory by the settings (agents.<name>.memory): {', '.join(without)}")
    report = DiskIncognito(state, now_ms).report(None, str(Path.cwd()))
    for problem in report.problems:
        fix = f"a {NAME} may hold {' = false, '.join(KEYS)} = false, and nothing else"
        yield Finding("incognito", WARN, problem, f"fix or remove {state / FILE}" if FILE in problem else fix)
    off = report.here
    if off.capture or off.surface:
        what = "capture and surfacing are" if off.everything else "capture is" if off.capture else "surfacing is"
        yield Finding("incognito", WARN, f"{what} off in this folder: {off.why}")
    elif not report.problems:
        sessions, folders = plural(len(report.sessions), "session"), plural(len(report.folders), "folder")
        yield Finding("incognito", OK, f"not here; on this machine {sessions} and {folders}")
