"""Carrying out a request: in a thread, within its deadline, on a vault that stays open meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import Event
from typing import Any, BinaryIO, TypeVar

from hearth.app.opened import OpenVault
from hearth.app.pool import VaultPool
from hearth.core.errors import Stopped
from hearth.operations.arguments import Arguments
from hearth.operations.operation import Request
from hearth.operations.runner import Given, Threads, carry_out
from hearth.server.limits import RefusedRequest
from hearth.server.routes import RestRoute

Result = TypeVar("Result")

DEADLINE = 30.0
LONG_DEADLINE = 900.0


class RouteRunner:
    """Belongs to one event loop. ``deadline`` is in seconds."""

    def __init__(self, vaults: VaultPool, deadline: float = DEADLINE) -> None:
        self.vaults = vaults
        self._deadline = deadline
        self._threads = Threads()
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, route: RestRoute, given: Arguments, source: BinaryIO | None = None) -> Any:
        """What the route gives. Raises what the engine raises, and ``RefusedRequest``."""
        if route.operation.long:
            return await self._long(route, given, source)
        return await self._within(lambda: self._answer(route, given, None, source), self._deadline)

    async def chunks(self, route: RestRoute, given: Arguments) -> Chunks:
        """A route whose answer is made while it goes out."""
        use = self.vaults.use(given.vault)
        lines = await self._within(lambda: self._enter(use, route, given), self._deadline)
        return Chunks(self, use, lines)

    async def call(self, work: Callable[[], Result]) -> Result:
        return await self._threads.call(work)

    async def _within(self, work: Callable[[], Result], seconds: float) -> Result:
        """The work goes on behind a reply that is late: half a change would be worse than one too many."""
        task = asyncio.ensure_future(self._threads.call(work))
        self._running.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            message = f"no answer within {seconds:.0f} s; a change that was asked for may still be made"
            raise RefusedRequest(503, "deadline", message, "look before you ask for a change again", retry_after=10)
        return task.result()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # else the loop complains that nobody asked for it

    async def _long(self, route: RestRoute, given: Arguments, source: BinaryIO | None) -> Any:
        try:
            async with asyncio.timeout(LONG_DEADLINE):
                return await self._threads.long(lambda stop: self._answer(route, given, stop, source))
        except TimeoutError:
            message = f"not done within {LONG_DEADLINE:.0f} s; work done so far is kept"
            raise RefusedRequest(503, "deadline", message, retry_after=60) from None

    def _answer(self, route: RestRoute, given: Arguments, stop: Event | None, source: BinaryIO | None) -> Any:
        with self.vaults.use(given.vault) as opened:
            result, remarks = self._carry_out(route, opened, given, stop, source)
        if isinstance(result, str):
            return result
        assert not isinstance(result, Iterator)
        return result.to_dict() | ({"remarks": remarks} if remarks else {})

    def _carry_out(
        self,
        route: RestRoute,
        opened: OpenVault,
        given: Arguments,
        stop: Event | None = None,
        source: BinaryIO | None = None,
    ) -> tuple[Given, list[str]]:
        stopped = stop.is_set if stop is not None else lambda: False
        asked = Request(self.vaults, opened, "rest", behind=True, stopped=stopped, source=source)
        try:
            # Programs tell an empty answer from none by the status.
            return carry_out(replace(route.operation, empty=None), asked, given)
        except Stopped:
            raise RefusedRequest(503, "stopped", "the server is stopping; work done so far is kept") from None

    def _enter(self, use: AbstractContextManager[OpenVault], route: RestRoute, given: Arguments) -> Iterator[bytes]:
        opened = use.__enter__()
        try:
            lines, _ = self._carry_out(route, opened, given)
        except BaseException:
            use.__exit__(None, None, None)
            raise
        assert isinstance(lines, Iterator)
        return lines


class Chunks:
    """The chunks of an answer, made in a thread as they are wanted; closes what they come from."""

    def __init__(self, runner: RouteRunner, use: AbstractContextManager[OpenVault], lines: Iterator[bytes]) -> None:
        self._runner = runner
        self._use = use
        self._lines = lines

    async def next(self) -> bytes:
        """Empty at the end."""
        return await self._runner.call(self._gather)

    async def close(self) -> None:
        await asyncio.shield(self._runner.call(lambda: self._use.__exit__(None, None, None)))

    def _gather(self) -> bytes:
        found = bytearray()
        for line in self._lines:
            found += line
            if len(found) >= _CHUNK_BYTES:
                break
        return bytes(found)


_CHUNK_BYTES = 256 * 1024
