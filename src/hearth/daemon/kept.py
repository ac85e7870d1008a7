"""One vault kept warm: open, watched, its jobs done."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from hearth.app import Settings, compose, hooks
from hearth.daemon.durability import Durability
from hearth.daemon.jobs import Job, Jobs
from hearth.daemon.watching import due
from hearth.errors import HearthError
from hearth.files import locked
from hearth.log import Log

# Loads the table, the vectors and the pages of the index that every question needs.
_WARMING = "what did we decide"


class Kept:
    """``settings`` are those that it was opened with. The threads end soon after ``retire``; ``close`` comes later,
    when nobody can be using it any more."""

    def __init__(self, settings: Settings, jobs: Sequence[Job], log: Log) -> None:
        self.settings = settings
        self.vault = compose(settings)
        self.hooks = hooks(self.vault, settings.loaded.config)
        self.durability = Durability(settings)
        self._log = log
        self._stop = threading.Event()
        self._scans = 0
        self._scanned: float | None = None
        self._problem: str | None = None
        lease = settings.vault.cache / "jobs.lock"
        self.jobs = Jobs(self.vault, jobs, lambda: locked(lease, wait=0), log, self._stop)
        self._threads = [
            threading.Thread(target=target, name=f"hearth-{what}-{self.vault.name}", daemon=True)
            for what, target in (("watch", self._watch), ("jobs", self._work))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def retire(self) -> None:
        self._stop.set()
        self.jobs.wake()

    def close(self, wait: float = 0) -> None:
        """Gives the threads so many seconds to end."""
        until = time.monotonic() + wait
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0, until - time.monotonic()))
        self.durability.settle()
        self.vault.index.checkpoint()
        self.vault.close()

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
        debounce = int(self.settings.loaded.config.daemon.debounce_seconds * 1000)
        self._scan()
        for _ in due(roots, debounce, self._log.write, self._stop):
            self._scan()

    def _scan(self) -> None:
        try:
            report = self.vault.index.sync()
        except Exception as error:  # noqa: BLE001 (what fails now may work at the next look)
            self._problem = str(error) if isinstance(error, HearthError | OSError) else type(error).__name__
            self._log.failure(f"scan of vault {self.vault.name}", error)
            return
        self._scans += 1
        self._scanned = time.monotonic()
        self._problem = "; ".join(report.problems[:3]) or None
        if report.touched or report.moved:
            self.vault.index.checkpoint()
            self.jobs.wake()

    def _work(self) -> None:
        try:
            self.vault.recall(_WARMING)
        except (HearthError, OSError) as error:
            self._log.failure(f"warming vault {self.vault.name}", error)
        self.jobs.loop()
