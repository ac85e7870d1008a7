"""One open vault followed: its folders watched, its jobs done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from hearth.app.locks import VaultLocks
from hearth.daemon.durability import Durability
from hearth.daemon.jobs import BackgroundJob, Jobs
from hearth.daemon.watching import due
from hearth.errors import HearthError
from hearth.log import Log
from hearth.pool.freshness import Stopped
from hearth.pool.opened import OpenVault

# Loads the table, the vectors and the pages of the index that every question needs.
_WARMING = "what did we decide"


class Follower:
    """Fills ``pool.opened.Follower``. ``leave`` is called once, when its threads have ended and the vault is not used
    from here any more."""

    def __init__(self, opened: OpenVault, jobs: Sequence[BackgroundJob], log: Log, leave: Callable[[], None]) -> None:
        self.vault = opened.vault
        self.durability = Durability(opened.settings)
        self._debounce = int(opened.settings.loaded.config.daemon.debounce_seconds * 1000)
        self._log = log
        self._leave = leave
        self._stop = threading.Event()
        self.scanning = False
        self._scans = 0
        self._scanned: float | None = None
        self._problem: str | None = None
        locks = VaultLocks(opened.settings.vault.cache, opened.settings.vault.data)
        self.jobs = Jobs(self.vault, jobs, locks.jobs, log, self._stop)
        self._threads = [
            threading.Thread(target=target, name=f"hearth-{what}-{self.vault.name}", daemon=True)
            for what, target in (("watch", self._watch), ("jobs", self._work))
        ]
        self._ending = threading.Thread(target=self._end, name=f"hearth-end-{self.vault.name}", daemon=True)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Lets its jobs look what there is to do now."""
        self.jobs.wake()

    def retire(self) -> None:
        """Its threads end soon, a scan at its next file."""
        self._stop.set()
        self.jobs.wake()
        self._ending.start()

    def join(self, until: float) -> None:
        """Waits for its end after ``retire``; ``until`` is on the monotonic clock."""
        self._ending.join(max(0, until - time.monotonic()))

    def status(self) -> dict[str, Any]:
        age = None if self._scanned is None else round(time.monotonic() - self._scanned, 1)
        return {
            "vault": self.vault.name,
            "stale": self.vault.index.is_stale(),
            "scans": self._scans,
            "scanned_seconds_ago": age,
            "problem": self._problem,
            "jobs": [standing.to_dict() for standing in self.jobs.standings],
        }

    # -- threads ---------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        roots = [collection.root for collection in self.vault.collections]
        self._scan()
        for _ in due(roots, self._debounce, self._log.write, self._stop):
            self._scan()

    def _scan(self) -> None:
        self.scanning = True
        try:
            report = self.vault.index.sync(progress=self._go_on)
        except Stopped:
            return
        except Exception as error:  # noqa: BLE001 (what fails now may work at the next look)
            self._problem = str(error) if isinstance(error, HearthError | OSError) else type(error).__name__
            self._log.failure(f"scan of vault {self.vault.name}", error)
            return
        finally:
            self.scanning = False
        self._scans += 1
        self._scanned = time.monotonic()
        self._problem = "; ".join(report.problems[:3]) or None
        if report.touched or report.moved:
            self.vault.index.checkpoint()
            self.jobs.wake()

    def _go_on(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise Stopped

    def _work(self) -> None:
        try:
            self.vault.recall(_WARMING)
        except (HearthError, OSError) as error:
            self._log.failure(f"warming vault {self.vault.name}", error)
        self.jobs.loop()

    def _end(self) -> None:
        for thread in self._threads:
            thread.join()
        try:
            self.durability.settle()
            self.vault.index.checkpoint()
        except (HearthError, OSError) as error:
            self._log.failure(f"closing vault {self.vault.name}", error)
        self._leave()
