"""Asking the daemon from the command line."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hearth.core.errors import Unavailable
from hearth.core.lazy import regex
from hearth.daemon.address import Address
from hearth.daemon.run import running
from hearth.daemon.stub import call
from hearth.daemon.stub.start import start

# Opening a large index the first time takes this long at most.
START_SECONDS = 20.0
STOP_SECONDS = 10.0
_ANSWER_SECONDS = 2.0
_POLL_SECONDS = 0.02
# The first line of a lock file, as ``locked`` writes it; 0 and 1 are no daemon.
_HOLDER = regex(r"process ([2-9]|[1-9][0-9]{1,9})(?:\n|\Z)")


def ask(at: Address, operation: str, seconds: float = _ANSWER_SECONDS, /, **fields: Any) -> dict[str, Any] | None:
    """The reply; ``None`` where no daemon answers in time. Unlike a hook, people would rather wait for a busy one."""
    request = json.dumps({"op": operation, "hash": at.agreement, **fields}).encode() + b"\n"
    if len(request) > call.MAX_REQUEST or not at.private():
        return None
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(call.Silent, call.Busy, ValueError):
            try:
                found = json.loads(call.ask(at.socket, at.uid, request, until))
            except call.Absent:
                return None
            if isinstance(found, dict) and not found.get("busy"):
                return found
        time.sleep(_POLL_SECONDS)
    return None


def begin(at: Address, environ: Mapping[str, str]) -> tuple[int, bool]:
    """The daemon's process and whether it is new. Raises ``Unavailable`` where it does not come up."""
    if (there := ask(at, "ping")) is not None:
        return int(there["pid"]), False
    if (other := running(at)) is not None and not _comes(at):
        raise Unavailable(f"{other} is the daemon but does not answer; run: hearth daemon stop")
    start(at, environ, pause=0)
    if (there := _comes(at)) is None:
        raise Unavailable(f"the daemon did not start; see {at.folders.state}/daemon.log and daemon.err")
    return int(there["pid"]), True


def _comes(at: Address) -> dict[str, Any] | None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if (there := ask(at, "ping")) is not None:
            return there
        time.sleep(_POLL_SECONDS)
        if running(at) is None and _nobody_starts(at):
            return ask(at, "ping")
    return None


def _nobody_starts(at: Address) -> bool:
    try:
        handle = os.open(at.file("start.lock"), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def end(at: Address) -> str | None:
    """How the daemon was ended; ``None`` where there was none. Raises ``Unavailable`` where it can't be."""
    name = running(at)
    if name is None:
        return None
    how = "stopped"
    if ask(at, "stop") is None or not _gone(at, name, STOP_SECONDS):
        how = "killed, because it did not answer"
        # It holds the lock that names it, so this is no other process under the same number.
        for number, wait in ((signal.SIGTERM, 1.0), (signal.SIGKILL, 5.0)):
            _signal(name, number)
            if _gone(at, name, wait):
                break
        else:
            raise Unavailable(f"{name} could not be ended")
    return how


def _signal(name: str, number: int) -> None:
    if match := _HOLDER.match(name):
        with suppress(ProcessLookupError, PermissionError, OverflowError):
            os.kill(int(match[1]), number)


def _gone(at: Address, name: str, seconds: float) -> bool:
    """Whether that process is not the daemon any more; another may be by now."""
    until = time.monotonic() + seconds
    while running(at) == name:
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_SECONDS)
    return True
