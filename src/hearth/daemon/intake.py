"""What hooks left behind, taken in: events, and the state of a session before its compaction."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hearth import hook, hosts
from hearth.app.pool import VaultPool
from hearth.config import Config
from hearth.context.hook_context import Hooks
from hearth.core.errors import ConfigError, HearthError, Unavailable
from hearth.core.files import Log, locked
from hearth.daemon import spool
from hearth.daemon.address import Address, address


class PooledVaults:
    """Fills ``hook.Vaults``. While the settings can't be read the former ones hold: a prompt must not go unanswered for
    a slip of the pen."""

    def __init__(self, pool: VaultPool) -> None:
        self._pool = pool
        self.failures: Log = hook.log_of(pool.former_settings.environ)

    def config(self, environ: Mapping[str, str]) -> Config:
        with suppress(ConfigError):
            return self._pool.settings().loaded.config
        return self._pool.former_settings.loaded.config

    def profile(self, environ: Mapping[str, str]) -> str:
        return self._pool.former_settings.loaded.config.profile

    @contextmanager
    def use(self, name: str, deadline: float) -> Iterator[Hooks]:
        with self._pool.use(name, deadline=deadline, former=True) as opened:
            yield opened.hooks


# Seconds between looks, until another try after one failed, and for one event to find its vault open.
_LOOK_SECONDS = 1.0
_AGAIN_SECONDS = 60.0
_PATIENCE = 30.0
_LOCK = ".lock"


class EventIntake:
    """``at`` says whose events they are; ``recorded`` is called with the vault of each."""

    def __init__(self, vaults: hook.Vaults, at: Address, recorded: Callable[[str], None] = lambda vault: None) -> None:
        self._vaults = vaults
        self._at = at
        self._recorded = recorded
        self._next = 0.0
        self._thread: threading.Thread | None = None

    def tick(self) -> None:
        """Called about twice a second; takes in what waits in a thread of its own."""
        now = time.monotonic()
        if now < self._next or (self._thread is not None and self._thread.is_alive()):
            return
        self._next = now + _LOOK_SECONDS
        if spool.waiting(self._at):
            self._thread = threading.Thread(target=self._work, name="hearth-spool", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        if not self.take_in():
            self._next = time.monotonic() + _AGAIN_SECONDS

    def take_in(
        self, is_wanted: Callable[[Mapping[str, Any]], bool] = lambda found: True, *, until: float | None = None
    ) -> bool:
        """Whether all that ``is_wanted`` could be recorded, or another process is at it; what could not be comes again.
        Until a moment of the monotonic clock another process is waited for, and tried."""
        folder = Path(spool.folder(self._at))
        wait = 0.0 if until is None else max(0.0, until - time.monotonic())
        with suppress(Unavailable), locked(folder / _LOCK, wait=wait):
            left = [name for name in spool.waiting(self._at) if not self._take(folder / name, is_wanted, until)]
            return not left
        return True

    def _take(self, file: Path, is_wanted: Callable[[Mapping[str, Any]], bool], until: float | None) -> bool:
        """The file goes once the event is on record, so that a crash in between records it twice: once in effect."""
        try:
            found = _read(file)
            if found is not None and not is_wanted(found):
                return True
            done = found is None or self._record(found, until)
            if found is None:
                self._vaults.failures.write("a queued event can't be read and is lost")
            if done:
                file.unlink(missing_ok=True)
        except OSError as error:
            self._vaults.failures.failure("recording a queued event", error)
            return False
        return done

    def _record(self, found: Mapping[str, Any], until: float | None) -> bool:
        name, host = str(found["name"]), str(found["host"])
        raw, environ = json.dumps(found["input"]), {str(k): str(v) for k, v in found["environ"].items()}
        deadline = time.monotonic() + _PATIENCE if until is None else until
        answered = hook.answer(name, host, raw, environ, deadline, self._vaults)
        try:
            if not answered.done or not answered.after():
                return False
        finally:
            answered.end()
        self._recorded(answered.vault or "")
        return True


def _read(file: Path) -> Mapping[str, Any] | None:
    """``None`` for what was not left by a hook. Raises ``OSError``."""
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as opened:
        data = opened.read(spool.MAX_BYTES + 1)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("environ"), dict) or "input" not in found:
        return None
    return found if {"name", "host"} <= found.keys() else None


def take_in(environ: Mapping[str, str]) -> None:
    """What waits, by this process itself: for where no daemon may run. Raises ``ConfigError``."""
    at = address(environ)
    if not spool.waiting(at):
        return
    pool = VaultPool(environ=environ)
    try:
        EventIntake(PooledVaults(pool), at).take_in()
    finally:
        pool.close()


HOOK = "precompact-extract"
_NAMES = ("session_id", "sessionId", "conversation_id", "conversationId")
# Of the time there is, what is left for the answer that needs the state.
_SHARE = 0.7


def save_waiting(vaults: hook.Vaults, at: Address, raw: str, deadline: float) -> None:
    """Takes in what waits of the session of this event; what can't be done by ``deadline`` keeps waiting."""
    if not spool.waiting(at):
        return
    session = _session_in(hosts.payload(raw))
    if session is None:
        return
    until = time.monotonic() + _SHARE * max(0.0, deadline - time.monotonic())

    def is_wanted(found: Mapping[str, Any]) -> bool:
        given = found["input"]
        return found["name"] == HOOK and isinstance(given, dict) and _session_in(given) == session

    EventIntake(vaults, at).take_in(is_wanted, until=until)


def save_now(raw: str, environ: Mapping[str, str], deadline: float) -> None:
    """The same by a process of its own. Never raises: what fails waits on."""
    try:
        save_waiting(hook.Fallback(environ), address(environ), raw, deadline)
    except (HearthError, OSError, json.JSONDecodeError) as error:
        hook.log_of(environ).failure("saving what a session was about before its compaction", error)


def _session_in(given: Mapping[str, Any]) -> str | None:
    return next((given[name] for name in _NAMES if isinstance(given.get(name), str)), None)
