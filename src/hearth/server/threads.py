"""Blocking calls of the engine, in a bounded number of threads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TypeVar

import anyio
import anyio.to_thread

Result = TypeVar("Result")

CALLS = 8
LONG = 2


class Threads:
    """``CALLS`` short calls and ``LONG`` long ones at a time; others wait their turn. Belongs to one event loop."""

    def __init__(self) -> None:
        self._calls = anyio.CapacityLimiter(CALLS)
        self._long = anyio.CapacityLimiter(LONG)

    async def call(self, work: Callable[[], Result]) -> Result:
        """To its end, also where nobody waits any more: half a change would be worse than one too many."""
        return await anyio.to_thread.run_sync(work, limiter=self._calls)

    async def long(self, work: Callable[[Event], Result]) -> Result:
        """Work that looks at the event it is given and ends when that is set: when nobody waits any more."""
        stop = Event()
        try:
            return await anyio.to_thread.run_sync(work, stop, limiter=self._long, abandon_on_cancel=True)
        finally:
            stop.set()
