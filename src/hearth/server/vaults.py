"""Vaults of a server: opened by name when first asked for, opened anew when the settings change, closed in the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hearth import app
from hearth.app import Settings
from hearth.config.load import stamp
from hearth.config.vaults import vault_names
from hearth.engine.vault import Vault
from hearth.errors import Unavailable
from hearth.hook import log_of
from hearth.pool.background import Background
from hearth.server.freshness import Freshness
from hearth.server.rebuild import Rebuilder

# Seconds between looks at whether another process has rebuilt an index that was stale.
_STALE_FOR = 1.0


class Opened:
    """A vault in use. ``fresh`` brings it up to date with its folders, as far as a question waits for that."""

    def __init__(self, settings: Settings, vault: Vault, stopping: threading.Event) -> None:
        self.settings = settings
        self.vault = vault
        self.users = 0
        self.retired = False
        self._since = time.monotonic()
        self._freshness = Freshness(vault, stopping)

    @property
    def name(self) -> str:
        return self.vault.name

    def fresh(self) -> list[str]:
        """Remarks on what stands in the way, for the answer."""
        return self._freshness.look()

    @property
    def outdated(self) -> bool:
        """Whether the settings changed since, or the index was stale and may not be any more."""
        if any(stamp(path) != was for path, was in self.settings.loaded.stamps.items()):
            return True
        return self.vault.index.is_stale() and time.monotonic() - self._since > _STALE_FOR

    def close(self) -> None:
        self._freshness.close()


class Vaults:
    """Thread-safe. ``default`` is the vault of requests that name none."""

    def __init__(self, default: str | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._environ = environ
        settings = app.settings(default, environ=environ)
        self._default = settings.vault.name
        self._lock = threading.Lock()
        self._opened: dict[str, Opened] = {}
        self._stopping = threading.Event()
        self.rebuilder = Rebuilder()
        self.background = Background(log_of(settings.environ))

    @property
    def default(self) -> str:
        return self._default

    @property
    def stopping(self) -> threading.Event:
        """Set when the server ends, so that long work does."""
        return self._stopping

    def settings(self) -> Settings:
        """The present settings, of the default vault. Raises ``ConfigError``."""
        return app.settings(self._default, environ=self._environ)

    def names(self) -> tuple[str, ...]:
        return vault_names(self.settings().loaded.config)

    @contextmanager
    def use(self, name: str | None = None) -> Iterator[Opened]:
        """The vault, which stays open for the block. Raises ``NotFound`` for an unknown name, ``ConfigError``, and
        ``Unavailable`` where its index can't be opened or the server ends."""
        opened = self._taken(name or self._default)
        try:
            yield opened
        finally:
            self._left(opened)

    def close(self) -> None:
        """Does what follows the answers given, ends long work and closes what nobody uses; the rest closes with its
        last user."""
        self.background.close()
        self._stopping.set()
        self.rebuilder.close()
        with self._lock:
            for opened in self._opened.values():
                self._retire(opened)
            self._opened.clear()

    def _taken(self, name: str) -> Opened:
        with self._lock:
            if self._stopping.is_set():
                raise Unavailable("the server is stopping; connect again")
            opened = self._opened.get(name)
            if opened is None or opened.outdated:
                settings = app.settings(name, environ=self._environ)
                anew = Opened(settings, app.compose(settings), self._stopping)
                if opened is not None:
                    self._retire(opened)
                self._opened[name] = opened = anew
            opened.users += 1
            return opened

    def _left(self, opened: Opened) -> None:
        with self._lock:
            opened.users -= 1
            if opened.retired and not opened.users:
                opened.close()

    def _retire(self, opened: Opened) -> None:
        opened.retired = True
        if not opened.users:
            opened.close()
