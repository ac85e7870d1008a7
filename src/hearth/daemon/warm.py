"""The daemon's vaults: opened by name when first asked for, opened anew when the settings change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hearth import app
from hearth.app import Settings
from hearth.config import Config, changed, vault_names
from hearth.daemon.durability import SETTLE_SECONDS
from hearth.daemon.jobs import Job, embedding
from hearth.daemon.kept import Kept
from hearth.engine.hooks.hooks import Hooks
from hearth.errors import ConfigError, HearthError, NotFound, Unavailable
from hearth.hook import log_of
from hearth.log import Log

# A vault that was replaced stays open for what still uses it.
_GRACE_SECONDS = 30.0
_GOODBYE_SECONDS = 3.0
# Seconds between looks at a settings file that could not be read, and between attempts to open a vault.
_AGAIN_SECONDS = 1.0
_REOPEN_SECONDS = 60.0


def all_jobs() -> tuple[Job, ...]:
    return (embedding(),)


class Warm:
    """Thread-safe. Fills ``hook.Vaults``. The variables are the daemon's own: callers with other ones are refused."""

    def __init__(self, environ: Mapping[str, str], log: Log, jobs: Callable[[], Sequence[Job]] = all_jobs) -> None:
        self._environ = environ
        self._log = log
        self._jobs = jobs
        # Never held for long: whoever accepts connections takes it, too. Vaults are opened under one each.
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._kept: dict[str, Kept] = {}
        self._wanted: dict[str, float] = {}
        self._opener: threading.Thread | None = None
        self._age = 0
        self._all = False
        self._closed = False
        self._retired: list[tuple[float, Kept]] = []
        self._settled = 0.0
        self._looked = 0.0
        self.settings: Settings = app.settings(environ=environ)
        self.problem: str | None = None
        self.failures = log_of(environ)

    def config(self, environ: Mapping[str, str]) -> Config:
        self._reload()
        return self.settings.loaded.config

    def profile(self, environ: Mapping[str, str]) -> str:
        return self.settings.loaded.config.profile

    def open(self, name: str, deadline: float) -> Hooks:
        """Raises ``NotFound`` for an unknown name, ``Unavailable`` where it can't be opened by the deadline."""
        kept = self._kept.get(name)
        if kept is not None:
            return kept.hooks
        app.settings(name, environ=self._environ)  # an unknown name needs no lock
        lock = self._opening.setdefault(name, threading.Lock())
        if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise Unavailable(f"vault {name!r} is being opened; try again")
        try:
            kept = self._kept.get(name) or self._opened(name)
        finally:
            lock.release()
        return kept.hooks

    def want(self, names: Iterable[str]) -> None:
        """Opens these vaults soon, and again after each change of the settings, in a thread of its own."""
        with self._lock:
            for name in names:
                self._wanted.setdefault(name, 0.0)

    def want_all(self) -> None:
        """As ``want`` for every vault of the settings, also of those that come later."""
        self._all = True
        self.want(vault_names(self.settings.loaded.config))

    def _opened(self, name: str) -> Kept:
        while True:
            age = self._age
            kept = Kept(app.settings(name, environ=self._environ), self._jobs(), self._log)
            with self._lock:
                if age == self._age and not self._closed:
                    self._kept[name] = kept
                    self._wanted[name] = 0.0
                    kept.start()
                    return kept
            self._close(kept)
            if self._closed:
                raise Unavailable(f"vault {name!r}: the daemon is ending; try again")

    def _due(self) -> list[str]:
        """The vaults that are to be opened now."""
        now = time.monotonic()
        with self._lock:
            return [name for name, at in self._wanted.items() if name not in self._kept and at <= now]

    def _open_wanted(self) -> None:
        for name in self._due():
            try:
                self.open(name, time.monotonic() + _REOPEN_SECONDS)
            except NotFound:
                self._log.write(f"vault {name} is not in the settings any more")
                with self._lock:
                    self._wanted.pop(name, None)
            except Exception as error:  # noqa: BLE001 (the other vaults are to be followed all the same)
                with self._lock:
                    self._wanted[name] = time.monotonic() + _REOPEN_SECONDS
                self._log.failure(f"opening vault {name}", error)

    def _reload(self) -> None:
        """Takes up settings files that changed. While they can't be read the former ones hold."""
        if not changed(self.settings.loaded):
            return
        with self._lock:
            if time.monotonic() - self._looked < _AGAIN_SECONDS or not changed(self.settings.loaded):
                return
            try:
                self.settings = app.settings(environ=self._environ)
            except ConfigError as error:
                self._looked = time.monotonic()
                if self.problem != str(error):
                    self._log.failure("reading the settings", error)
                self.problem = str(error)
                return
            self.problem = None
            self._log.write("the settings changed; vaults are opened anew")
            until = time.monotonic() + _GRACE_SECONDS
            for kept in self._kept.values():
                kept.retire()
                self._retired.append((until, kept))
            self._kept = {}
            self._age += 1
            every = vault_names(self.settings.loaded.config) if self._all else ()
            self._wanted = dict.fromkeys([*self._wanted, *every], 0.0)

    # -- upkeep ----------------------------------------------------------------------------------------------------

    @property
    def working(self) -> bool:
        return any(kept.jobs.working for kept in list(self._kept.values()))

    def tick(self) -> None:
        """Called about once a second."""
        now = time.monotonic()
        self._reload_quietly()
        if now - self._settled >= SETTLE_SECONDS:
            self._settled = now
            for kept in list(self._kept.values()):
                kept.durability.settle()
        with self._lock:
            gone = [kept for until, kept in self._retired if until <= now]
            self._retired = [(until, kept) for until, kept in self._retired if until > now]
        for kept in gone:
            self._close(kept)
        if (self._opener is None or not self._opener.is_alive()) and self._due():
            self._opener = threading.Thread(target=self._open_wanted, name="hearth-open", daemon=True)
            self._opener.start()

    def _reload_quietly(self) -> None:
        try:
            self._reload()
        except (HearthError, OSError) as error:
            self.problem = str(error)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            kept = [*self._kept.values(), *(kept for _, kept in self._retired)]
            self._kept, self._retired = {}, []
        for item in kept:
            item.retire()
        for item in kept:
            self._close(item, _GOODBYE_SECONDS)

    def _close(self, kept: Kept, wait: float = 0) -> None:
        try:
            kept.close(wait)
        except (HearthError, OSError) as error:
            self._log.failure(f"closing vault {kept.vault.name}", error)

    def status(self) -> list[dict[str, Any]]:
        return [kept.status() for kept in list(self._kept.values())]
