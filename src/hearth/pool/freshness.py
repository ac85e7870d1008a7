"""Freshness of an answer: a look at the folders before it, which it does not wait for any longer than people do."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import suppress

from hearth.core.errors import Guidance, HearthError
from hearth.vault.vault import Vault

# Seconds that an answer waits for a scan; it goes on behind it.
PATIENCE = 5.0


class Stopped(Exception):
    """Raised inside a scan that nobody waits for any more."""


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
            return [f"the folders are still being read{how_far}; answered from what is indexed"]

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
            said = error.said if isinstance(error, HearthError) else str(error)
            return [Guidance.behind("the folders could not be looked at, answered from the index as it is: ", said)]
        return report.remarks() if report is not None else []

    def _note_progress(self, done: int, total: int) -> None:
        if self._stopping.is_set() or self._closed.is_set():
            raise Stopped
        self._at = (done, total)
