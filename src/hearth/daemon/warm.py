"""The daemon's vaults: opened by name when first asked for, opened anew when the settings change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hearth import app
from hearth.app import Settings
from hearth.config import Config, changed
from hearth.daemon.durability import SETTLE_SECONDS
from hearth.daemon.jobs import Job, embedding
from hearth.daemon.kept import Kept
from hearth.engine.vault import Vault
from hearth.errors import ConfigError, HearthError, Unavailable
from hearth.hook import log_of
from hearth.log import Log

# A vault that was replaced stays open for what still uses it.
_GRACE_SECONDS = 30.0
_GOODBYE_SECONDS = 3.0
# Seconds between looks at a settings file that could not be read.
_AGAIN_SECONDS = 1.0


def all_jobs() -> tuple[Job, ...]:
    return (embedding(),)


class Warm:
    """Thread-safe. Fills ``hook.Vaults``. The variables are the daemon's own: callers with other ones are refused."""

    def __init__(self, environ: Mapping[str, str], log: Log, jobs: Callable[[], Sequence[Job]] = all_jobs) -> None:
        self._environ = environ
        self._log = log
        self._jobs = jobs
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}
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

    def open(self, name: str, deadline: float) -> Vault:
        """Raises ``NotFound`` for an unknown name, ``Unavailable`` where it can't be opened by the deadline."""
        kept = self._kept.get(name)
        if kept is not None:
            return kept.vault
        if not self._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise Unavailable(f"vault {name!r} is being opened; try again")
        try:
            kept = self._kept.get(name) or self._opened(name)
        finally:
            self._lock.release()
        return kept.vault

    def _opened(self, name: str) -> Kept:
        kept = Kept(app.settings(name, environ=self._environ), self._jobs(), self._log)
        self._kept[name] = kept
        kept.start()
        return kept

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

    def _reload_quietly(self) -> None:
        try:
            self._reload()
        except (HearthError, OSError) as error:
            self.problem = str(error)

    def close(self) -> None:
        with self._lock:
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
