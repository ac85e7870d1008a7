"""One vault of a pool, open."""

from __future__ import annotations

import threading
import time
from functools import cached_property
from typing import Protocol

from hearth import app
from hearth.app import Settings
from hearth.context.hooks.hooks import Hooks
from hearth.pool.freshness import Freshness

# Seconds after which an index that was stale is looked at anew, since another process may have rebuilt it; longer
# where it is followed, which rebuilds it.
_STALE_FOR = 1.0
_STALE_FOLLOWED = 60.0


class VaultFollower(Protocol):
    """Follows the folders of an open vault until it is told to ``retire``; it uses the vault until its threads end."""

    @property
    def scanning(self) -> bool: ...

    def wake(self) -> None: ...

    def retire(self) -> None: ...


class OpenVault:
    """``settings`` are those that it was opened with; ``users`` and ``retired`` are the pool's."""

    def __init__(self, settings: Settings, stopping: threading.Event) -> None:
        self.settings = settings
        self.vault = app.compose(settings)
        self.users = 0
        self.retired = False
        self.follower: VaultFollower | None = None
        self._since = time.monotonic()
        self._freshness = Freshness(self.vault, stopping)

    @property
    def name(self) -> str:
        return self.vault.name

    @cached_property
    def hooks(self) -> Hooks:
        """What answers the events of hosts."""
        return app.hooks(self.vault, self.settings.loaded.config)

    def fresh(self) -> list[str]:
        """Brings it up to date with its folders, as far as a question waits for that; remarks on what stands in the
        way, for the answer."""
        self.vault.capture_waiting()
        return self._freshness.look()

    def wake(self) -> None:
        """There may be something to do beside the answers: who follows it looks now, not at its next look."""
        if (follower := self.follower) is not None:
            follower.wake()

    @property
    def outdated(self) -> bool:
        """Whether the index was stale and may not be any more."""
        follower = self.follower
        if not self.vault.index.is_stale() or (follower is not None and follower.scanning):
            return False
        return time.monotonic() - self._since > (_STALE_FOR if follower is None else _STALE_FOLLOWED)

    def close(self) -> None:
        """Behind a scan under way, which ends at its next file."""
        self._freshness.close()
