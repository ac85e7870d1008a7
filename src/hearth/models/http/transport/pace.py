"""Tokens per minute: no window of 60 seconds sends more."""

from __future__ import annotations

import threading
from collections import deque

from hearth.models.http.transport.timeout import Timing

_WINDOW = 60.0


class Pace:
    """Thread-safe. ``limit`` is tokens a minute, ``None`` for no limit."""

    def __init__(self, limit: int | None, timing: Timing) -> None:
        self.limit = limit
        self._timing = timing
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def take(self, tokens: int, *, patient: bool) -> None:
        """Waits until ``tokens`` fit, then counts them; who isn't ``patient`` only counts.

        More than a whole minute's worth goes alone, when nothing else was sent within the minute."""
        if self.limit is None:
            return
        while True:
            with self._lock:
                delay = self._delay(tokens) if patient else 0.0
                if delay <= 0:
                    self._sent.append((self._timing.now(), tokens))
                    return
            self._timing.wait(delay)

    def _delay(self, tokens: int) -> float:
        now = self._timing.now()
        while self._sent and self._sent[0][0] <= now - _WINDOW:
            self._sent.popleft()
        over = sum(sent for _, sent in self._sent) + tokens - (self.limit or 0)
        delay = 0.0
        for at, sent in self._sent:
            if over <= 0:
                break
            over -= sent
            delay = at + _WINDOW - now
        return delay
