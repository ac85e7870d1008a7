"""Hooks: the daemon behind them, a real round trip, and what went wrong lately."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import hearth
from hearth import stub
from hearth.app import Settings
from hearth.cli.health.checks.finding import FAIL, OK, WARN, Finding
from hearth.cli.output import plural
from hearth.core import instants
from hearth.core.hook import PROBE
from hearth.daemon.client import ask
from hearth.daemon.run import running
from hearth.daemon.stub import client as stub_client
from hearth.daemon.stub.address import address
from hearth.daemon.stub.call import build
from hearth.hook import log_of

# An acknowledgement: it goes all the way and leaves no trace in what is remembered.
_PROMPT = {"session_id": PROBE, "hook_event_name": "UserPromptSubmit", "prompt": "ok", "cwd": "/"}
_SECONDS = 10
_LATELY_MS = 2 * instants.DAY_MS


def daemon(chosen: Settings) -> Iterator[Finding]:
    at = address(os.environ)
    if not at.private():
        fix = "remove it, or set XDG_RUNTIME_DIR to a folder that is yours alone"
        yield Finding("daemon", FAIL, f"the folder {at.folder} is not yours alone, so there can be no socket", fix)
        return
    mode = chosen.loaded.config.daemon.mode
    began = time.monotonic()
    found = ask(at, "status")
    took = (time.monotonic() - began) * 1000
    if found is None and (holder := running(at)) is not None:
        yield Finding("daemon", FAIL, f"{holder} is the daemon and does not answer", "run: hearth daemon stop")
    elif found is None and mode == "external":
        message = "daemon.mode is external and no daemon runs"
        yield Finding("daemon", WARN, message, "run: hearth install-service --enable")
    elif found is None:
        idle = "the next hook starts it" if mode == "auto" else "daemon.mode is never"
        yield Finding("daemon", OK, f"not running ({idle})")
    elif found.get("build") != build():
        message = f"the daemon is of another installation (version {found['version']}, this is {hearth.__version__})"
        yield Finding("daemon", WARN, message, "run: hearth daemon stop")
    elif found["hash"] != at.agreement:
        message = "the daemon runs with other HEARTH_ variables, so hooks from here do without it"
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
        yield Finding("hook", WARN, "HEARTH_DISABLE is set, so hooks say nothing", "unset HEARTH_DISABLE")
        return
    flags = ("context-surfacing", "--host", stub_client.DEFAULT_HOST, stub_client.NO_START)
    command = [sys.executable, "-I", "-S", str(stub.__file__), *flags]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, input=json.dumps(_PROMPT).encode(), capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        yield Finding("hook", FAIL, f"a hook did not end within {_SECONDS} s", "run: hearth hook context-surfacing")
        return
    took = (time.monotonic() - began) * 1000
    if done.returncode or done.stderr or not _valid(done.stdout):
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-200:]
        yield Finding("hook", FAIL, f"a hook ended with {done.returncode} and said: {said}", "reinstall hearth-memory")
    else:
        yield Finding("hook", OK, f"a prompt went through in {took:.0f} ms")


def _valid(data: bytes) -> bool:
    try:
        return not data.strip() or isinstance(json.loads(data), dict)
    except ValueError:
        return False
