"""The pool of open vaults: opened by name when first asked for, opened anew when the settings change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hearth import app
from hearth.app import Settings
from hearth.app.background import Background
from hearth.app.opened import OpenVault, VaultFollower
from hearth.app.rebuild import Rebuilder
from hearth.config import DEFAULT_VAULT, changed, vault, vault_names
from hearth.core.errors import ConfigError, Unavailable
from hearth.core.files import Log
from hearth.guard.secrets.redaction import redact

LOG = "daemon.log"
# Seconds between looks at a settings file that could not be read.
_AGAIN_SECONDS = 1.0

Follow = Callable[[OpenVault], VaultFollower]


def log_of(state: str) -> Log:
    """Where a process that keeps vaults open writes what went wrong behind its answers."""
    return Log(Path(state, LOG), lambda text: redact(text).text)


class VaultPool:
    """Thread-safe. ``default`` is the vault of requests that name none, ``stopping`` is set when the process ends, so
    that long work does. The variables are the process's own."""

    def __init__(self, default: str | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._environ = environ
        self._settings = app.settings(default, environ=environ)
        self.default = self._settings.vault.name
        self._following = threading.Lock()
        # Never held for long: whoever accepts connections takes it, too. Vaults are opened under one each.
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._open: dict[str, OpenVault] = {}
        self._follow: Follow | None = None
        self._looked = 0.0
        self.stopping = threading.Event()
        self.problem: str | None = None
        self.log = log_of(self._settings.folders.state)
        self.rebuilder = Rebuilder()
        self.background = Background(self.log)

    # -- settings --------------------------------------------------------------------------------------------------

    def settings(self) -> Settings:
        """The present settings; of which vault is open. Raises ``ConfigError``; ``former_settings`` still hold then."""
        if not changed(self._settings.loaded):
            return self._settings
        with self._reading:
            if not changed(self._settings.loaded):
                return self._settings
            if self.problem is not None and time.monotonic() - self._looked < _AGAIN_SECONDS:
                raise ConfigError(self.problem)
            self._looked = time.monotonic()
            try:
                # By a name that always is: the default vault may be gone, and the others still are there.
                self._settings = app.settings(DEFAULT_VAULT, environ=self._environ)
            except ConfigError as error:
                if self.problem != str(error):
                    self.log.failure("reading the settings", error)
                self.problem = str(error)
                raise
            self.problem = None
            self.log.write("the settings changed; vaults are reopened")
            return self._settings

    @property
    def former_settings(self) -> Settings:
        """The last that could be read."""
        return self._settings

    def names(self) -> tuple[str, ...]:
        return vault_names(self.settings().loaded.config)

    # -- vaults ----------------------------------------------------------------------------------------------------

    @contextmanager
    def use(
        self, name: str | None = None, *, deadline: float | None = None, former: bool = False
    ) -> Iterator[OpenVault]:
        """The vault, which stays open for the block. ``deadline`` (monotonic clock) bounds the wait for somebody who
        opens it; with ``former`` the last settings hold where the present ones can't be read.

        Raises ``NotFound`` for an unknown name, ``ConfigError``, and ``Unavailable`` where its index can't be opened
        or the process ends."""
        opened = self._take(name or self.default, deadline, former=former)
        try:
            yield opened
        finally:
            self.leave(opened)

    def follow(self, follow: Follow | None) -> None:
        """Lets every open vault, and those that are opened later, be followed; ``None`` ends that."""
        with self._following:
            self._follow = follow
        with self._lock:
            present = list(self._open.values())
        for opened in present:
            if follow is None:
                self._end_following(opened)
            else:
                self._begin_following(opened)

    def is_current(self, name: str) -> bool:
        """Whether the vault is open, with the last settings that could be read."""
        opened = self._open.get(name)
        return opened is not None and opened.settings.loaded is self._settings.loaded

    def drop(self, name: str) -> None:
        """Closes a vault that is no longer configured, behind its last user."""
        with self._lock:
            opened = self._open.pop(name, None)
        if opened is not None:
            self._retire(opened)

    def leave(self, opened: OpenVault) -> None:
        """The end of a use."""
        with self._lock:
            opened.users -= 1
            last = opened.retired and not opened.users
        if last:
            opened.close()

    def join(self, opened: OpenVault) -> None:
        """One more use of a vault that is in use, until ``leave``."""
        with self._lock:
            opened.users += 1

    def close(self, wait: float | None = None) -> None:
        """Does what follows the answers given, for at most ``wait`` seconds; ends long work and closes what nobody
        uses. The rest closes with its last user."""
        self.background.close(wait)
        self.stopping.set()
        self.rebuilder.close()
        with self._lock:
            opened = list(self._open.values())
            self._open.clear()
        for one in opened:
            self._retire(one)

    # -- details ---------------------------------------------------------------------------------------------------

    def _take(self, name: str, deadline: float | None, *, former: bool) -> OpenVault:
        try:
            present = self.settings()
        except ConfigError:
            if not former:
                raise
            present = self._settings
        chosen = replace(present, vault=vault(present.loaded.config, present.folders, name))
        opened = self._find_open_vault(chosen)
        if opened is not None:
            return opened
        lock = self._opening.setdefault(name, threading.Lock())
        if not lock.acquire(timeout=-1 if deadline is None else max(0.0, deadline - time.monotonic())):
            raise Unavailable(f"vault {name!r} is being opened; try again")
        try:
            return self._find_open_vault(chosen) or self._opened(chosen)
        finally:
            lock.release()

    def _find_open_vault(self, chosen: Settings) -> OpenVault | None:
        """The open vault, where it is as it should be."""
        opened = self._open.get(chosen.vault.name)
        if opened is None or opened.settings.loaded is not chosen.loaded or opened.outdated:
            return None
        with self._lock:
            if opened.retired:
                return None
            opened.users += 1
        return opened

    def _opened(self, chosen: Settings) -> OpenVault:
        """Opened, or opened anew, with one user."""
        if self.stopping.is_set():
            raise Unavailable("the server is stopping; connect again")
        opened = OpenVault(chosen, self.stopping)
        opened.users = 1
        with self._lock:
            stopping = self.stopping.is_set()
            before = None if stopping else self._open.get(opened.name)
            if not stopping:
                self._open[opened.name] = opened
        if stopping:
            opened.close()
            raise Unavailable("the server is stopping; connect again")
        if before is not None:
            self._retire(before)
        self._begin_following(opened)
        return opened

    def _begin_following(self, opened: OpenVault) -> None:
        with self._following:
            if self._follow is not None and opened.follower is None and not opened.retired:
                opened.follower = self._follow(opened)

    def _end_following(self, opened: OpenVault) -> None:
        with self._following:
            follower, opened.follower = opened.follower, None
        if follower is not None:
            follower.retire()

    def _retire(self, opened: OpenVault) -> None:
        """Closes it behind its last user."""
        with self._lock:
            opened.retired = True
            unused = not opened.users
        if unused:
            opened.close()
        else:
            self._end_following(opened)
