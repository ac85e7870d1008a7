"""The vaults of a pool, as hooks want them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from hearth import hook
from hearth.config import Config
from hearth.engine.hooks.hooks import Hooks
from hearth.errors import ConfigError
from hearth.log import Log
from hearth.pool.pool import VaultPool


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
