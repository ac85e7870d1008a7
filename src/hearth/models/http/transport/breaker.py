"""The circuit breaker: a server that keeps failing is left alone for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hearth.errors import Unavailable

LIMIT = 3
"""Failed calls in a row after which the server is left alone."""

FIRST_PAUSE = 30.0
LONGEST_PAUSE = 600.0


class Breaker:
    """Thread-safe. Seconds on the clock ``now``; each pause after a failed trial is twice the one before."""

    def __init__(self, server: str, now: Callable[[], float]) -> None:
        self._server = server
        self._now = now
        self._lock = threading.Lock()
        self._failures = 0
        self._pauses = 0
        self._until: float | None = None
        self._reason = ""

    def check(self) -> None:
        """Raises ``Unavailable`` during a pause; after it, lets one call through to try."""
        with self._lock:
            if self._until is None:
                return
            left = self._until - self._now()
            if left > 0:
                raise Unavailable(
                    f"{self._server} is left alone for another {max(1, round(left))} s "
                    f"(failures in a row: {self._failures}); the last one: {self._reason}"
                )
            self._until = self._now() + self._pause()

    def succeeded(self) -> None:
        with self._lock:
            self._failures = self._pauses = 0
            self._until = None

    def failed(self, reason: str, rest: float = 0.0) -> None:
        """``rest`` is how long the server itself asked to be left alone; it is, from the first failure."""
        with self._lock:
            self._failures += 1
            self._reason = reason
            if self._failures >= LIMIT or rest:
                self._until = self._now() + max(self._pause(), rest)
                self._pauses += 1

    def _pause(self) -> float:
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._pauses, 10))
