"""One vault of a pool, open, and the look at its folders before an answer."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from functools import cached_property
from typing import Protocol

from hearth import app
from hearth.app import Settings
from hearth.context.hook_context import Hooks
from hearth.core.errors import Guidance, HearthError, Stopped
from hearth.vault.vault import Vault

# Seconds that an answer waits for a scan; it goes on behind it.
PATIENCE = 5.0


class Freshness:
    """One scan at a time for all who ask; ``stopping`` ends it at its next file. Closes the vault, since only it knows
    when no scan uses that any more."""

    def __init__(self, vault: Vault, stopping: threading.Event, patience: float = PATIENCE) -> None:
        self._vault = vault
        self._stopping = stopping
        self._closed = threading.Event()
        self._patience = patience
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._running: Future[list[str]] | None = None
        self._at = (0, 0)

    def look(self) -> list[str]:
        """Remarks for the answer, empty where all is well."""
        with self._lock:
            if self._running is None or self._running.done():
                self._pool = self._pool or ThreadPoolExecutor(1, "hearth-scan")
                self._running = self._pool.submit(self._scan)
            running = self._running
        try:
            return running.result(self._patience)
        except Late:
            done, total = self._at
            how_far = f" ({done:,} of {total:,} files)" if total else ""
            return [f"folders are still being scanned{how_far}; answered from the index so far"]

    def close(self) -> None:
        """Closes the vault, behind a scan under way, which ends at its next file."""
        self._closed.set()
        with self._lock:
            if self._pool is None:
                self._end()
                return
            self._pool.submit(self._end)
            self._pool.shutdown(wait=False)

    def _end(self) -> None:
        """What was only noted of use goes to the disk first."""
        with suppress(HearthError, OSError):
            self._vault.usage.settle()
        self._vault.close()

    def _scan(self) -> list[str]:
        try:
            report = self._vault.index.freshen(progress=self._note_progress)
        except Stopped:
            return []
        except (HearthError, OSError) as error:
            message = error.said if isinstance(error, HearthError) else str(error)
            return [Guidance.behind("the folders could not be scanned; answered from the existing index: ", message)]
        return report.remarks() if report is not None else []

    def _note_progress(self, done: int, total: int) -> None:
        if self._stopping.is_set() or self._closed.is_set():
            raise Stopped
        self._at = (done, total)


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
        self.vault.run_waiting_captures()
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
