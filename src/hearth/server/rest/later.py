"""What is written down after an answer: nobody waits for it, and it is done one thing at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hearth.errors import HearthError

logger = logging.getLogger("hearth.server")

MOST = 1_000
# Seconds after which what was written down is to be on the disk.
_SETTLE = 2.0


class Later:
    """Thread-safe. Where more than ``most`` things wait, more are left undone: the log says how many."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._pool = ThreadPoolExecutor(1, "hearth-later")
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting = 0
        self._left = 0
        self._settled = clock()

    def do(self, work: Callable[[], object]) -> None:
        with self._lock:
            if self._waiting >= self._most:
                self._left += 1
                return
            try:
                self._pool.submit(self._done, work)
            except RuntimeError:  # closed: a request that is late
                self._left += 1
                return
            self._waiting += 1

    def due(self) -> bool:
        """Asked by the work itself: whether it should bring what was written down to the disk, since nothing else
        waits or two seconds have passed."""
        now = self._clock()
        with self._lock:
            if self._waiting > 1 and now - self._settled < _SETTLE:
                return False
            self._settled = now
            return True

    def close(self) -> None:
        """After all that waits is done."""
        self._pool.shutdown()
        if self._left:
            logger.warning("%d records of use were left out: too many at once", self._left)

    def _done(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (HearthError, OSError) as error:
            logger.warning("something was not written down after an answer: %s", error)
        finally:
            with self._lock:
                self._waiting -= 1
