"""What the daemon can be asked, and by whom; and what its process takes."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth import __version__, hook
from hearth.app.background import FollowUp
from hearth.context.hook_context import MARKING
from hearth.daemon import spool
from hearth.daemon.address import address
from hearth.daemon.followers import Followers
from hearth.daemon.intake import PooledVaults, save_waiting
from hearth.daemon.server import BUSY, Reply
from hearth.daemon.stub.call import build

if TYPE_CHECKING:
    from hearth.daemon.calls import Calls


def footprint() -> dict[str, int]:
    """Resident memory in KiB (the most so far where the system does not tell the present), descriptors, threads."""
    return {"memory_kib": _memory(), "descriptors": _descriptors(), "threads": threading.active_count()}


def _memory() -> int:
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


def _descriptors() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return sum(1 for _ in Path(folder).iterdir())
    return 0


# Runs a command of the command line for a caller, by a moment of the monotonic clock; ``None`` where that is better
# done by the caller.
Commands = Callable[[Mapping[str, Any], float], dict[str, Any] | None]


class Requests:
    """Fills ``server.Handler``. ``agreement`` is the hash that a caller must have; ``stop`` ends the daemon, ``counts``
    says what the server did."""

    def __init__(self, followers: Followers, agreement: str, stop: Callable[[], None]) -> None:
        self._followers = followers
        self._pool = followers.pool
        self.vaults = PooledVaults(followers.pool)
        self._address = address(followers.pool.former_settings.environ)
        self._agreement = agreement
        self._build = build()
        self._stop = stop
        self._started = time.monotonic()
        self.commands: Commands | None = None
        self._commanded = 0
        self._calls: Calls | None = None
        self.counts: Callable[[], Mapping[str, int]] = dict
        self.used = time.monotonic()

    def __call__(self, request: Mapping[str, Any], came: float) -> Reply:
        operation = request.get("op")
        if operation == "ping":
            return Reply({"pong": True, "version": __version__, "pid": os.getpid()})
        if operation == "status":
            return Reply(self._status())
        if operation == "stop":
            return Reply({"stopping": True, "pid": os.getpid()}, FollowUp("", self._stop))
        if operation not in ("hook", "command", "call"):
            return Reply({"refused": "operation", "version": __version__})
        if request.get("version") != self._build:
            return Reply({"refused": "version", "version": self._build})
        if request.get("hash") != self._agreement:
            return Reply({"refused": "settings", "version": __version__})
        self.used = time.monotonic()
        if operation == "call":
            return self._call(request, came)
        return self._hook(request, came) if operation == "hook" else self._command(request, came)

    def _call(self, request: Mapping[str, Any], came: float) -> Reply:
        """An operation by its name. Loaded with the first: most daemons answer hooks alone."""
        if self._calls is None:
            from hearth.daemon.calls import Calls

            self._calls = Calls(self._pool)
        found = self._calls(request, _deadline(request, came))
        return Reply(BUSY if found is None else found)

    def _command(self, request: Mapping[str, Any], came: float) -> Reply:
        """What does not fit the daemon is declined, and done by the caller."""
        found = self.commands(request, _deadline(request, came)) if self.commands is not None else None
        if found is None:
            return Reply({"declined": True})
        self._commanded += 1
        return Reply(found)

    def _hook(self, request: Mapping[str, Any], came: float) -> Reply:
        deadline = _deadline(request, came)
        if deadline <= time.monotonic():
            return Reply(BUSY)
        environ = _environ(request)
        name, host, raw = (str(request.get(field)) for field in ("name", "host", "input"))
        if name == "postcompact-inject":
            save_waiting(self.vaults, self._address, raw, deadline)
        found = hook.answer(name, host, raw, environ, deadline, self.vaults)
        vault, marks = found.vault or "", name in MARKING
        if marks and not found.done:
            found.end()
            return Reply(BUSY)  # the caller leaves the event for later
        recorded = not marks

        def after() -> None:
            nonlocal recorded
            recorded = found.after() or not marks
            if marks:
                self._followers.wake(vault)

        def end() -> None:
            found.end()
            if not recorded:
                spool.keep(self._address, name, host, raw, environ)

        return Reply({"output": found.output} | _explain(request, found), FollowUp(vault, after, end))

    def _status(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "build": self._build,
            "pid": os.getpid(),
            "hash": self._agreement,
            "seconds": round(time.monotonic() - self._started, 1),
            "idle_seconds": round(time.monotonic() - self.used, 1),
            "requests": {**self.counts(), "dropped": self._pool.background.left_out},
            "commands": self._commanded,
            "vaults": self._followers.status(),
            "problem": self._pool.problem,
            **footprint(),
        }


def _explain(request: Mapping[str, Any], found: hook.Answered) -> dict[str, Any]:
    """Only for who asks: the stub reads the output alone."""
    return {"reason": found.reason, "vault": found.vault} if request.get("explain") else {}


def _deadline(request: Mapping[str, Any], came: float) -> float:
    given = request.get("deadline_ms")
    milliseconds = given if isinstance(given, int) and not isinstance(given, bool) else 0
    return came + max(0, min(milliseconds, 60_000)) / 1000


def _environ(request: Mapping[str, Any]) -> dict[str, str]:
    given = request.get("env")
    environ = {str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {}
    # Said apart, since neither is a variable of the daemon's own.
    for field, variable in (("vault", "HEARTH_VAULT"), ("cwd", "PWD")):
        if value := request.get(field):
            environ[variable] = str(value)
    return environ
