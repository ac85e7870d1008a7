"""When a model server is asked again, how fast, for how long, and when not at all for a while."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field
from email.utils import parsedate_to_datetime

from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass

_FIRST = 0.5
_LONGEST = 8.0

MOST = 60.0
"""Seconds that a server may ask for and get; one that asks for more is left alone instead."""


def backoff(attempt: int, chance: float) -> float:
    """Seconds before attempt number ``attempt`` (1 is the first repetition): doubling, half of it by ``chance``."""
    return float(min(_LONGEST, _FIRST * 2.0 ** (attempt - 1)) * (0.5 + chance / 2))


def read_delay(headers: Mapping[str, str], body: bytes) -> float | None:
    """Seconds that the reply asks to wait: ``retry-after-ms``, ``retry-after`` (seconds or a date, which counts from
    the reply's own ``date``), or Gemini's ``retryDelay`` in the body; ``None`` where it asks nothing that makes sense.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is None and after:
        seconds = _until(after, headers.get("date", ""))
    return _delay(body) if seconds is None else seconds


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]{1,9})?\s*", text, re.ASCII) else None


def _until(after: str, date: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(after) - parsedate_to_datetime(date)).total_seconds())
    except (TypeError, ValueError):
        return None


def _delay(body: bytes) -> float | None:
    try:
        details = json.loads(body)["error"]["details"]
        delays = [detail["retryDelay"] for detail in details if "retryDelay" in detail]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return _number(str(delays[0]).removesuffix("s")) if delays else None


@dataclass(frozen=True, slots=True)
class CallTimeout:
    """Seconds: ``connect`` and ``read`` bound one step on the wire, ``total`` a call with its ``retries``.

    ``paced`` calls wait for the tokens of the minute; the others only count."""

    name: str
    connect: float
    read: float
    total: float
    retries: int
    paced: bool = False


# Somebody waits for an answer, and keyword search stands by.
QUERY = CallTimeout("query", connect=1.0, read=2.0, total=3.0, retries=1)
RERANK = CallTimeout("rerank", connect=1.0, read=10.0, total=10.0, retries=1)
# Nobody waits. A server may load its model first (tens of seconds) or be slow at 50 long texts.
DOCUMENT = CallTimeout("document", connect=5.0, read=60.0, total=300.0, retries=4, paced=True)


@dataclass(frozen=True, slots=True)
class Timing:
    """``now`` in seconds, never going back; ``wait`` lets so many pass; ``chance`` is uniform in [0, 1)."""

    now: Callable[[], float] = field(default=time.monotonic)
    wait: Callable[[float], None] = field(default=time.sleep)
    chance: Callable[[], float] = field(default=random.random)


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
                    f"{self._server} is paused for another {max(1, round(left))} s "
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
