"""Connections: how many there may be, and how long one may wait for the head of a request."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 30
MOST = 500
"""Below what a process may usually have open, so that there is something left to say so with."""
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Connection(H11Protocol):
    """uvicorn's own timer covers the time between requests, and ends at the first byte of the next."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.write(_FULL)
            transport.close()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._under_way and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def send_400_response(self, msg: str) -> None:
        """Where an answer has begun, or gone out, none is left to give to what came behind it; and where this one went
        out, whoever works on the request has none left to give."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        super().send_400_response(msg)
        if self._under_way:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # A request that came behind the one before is under way by now.
        if not self._under_way:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    @property
    def _under_way(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._late)

    def _late(self) -> None:
        """Also ends one that is closing and can't, since nobody reads what is left to send."""
        if not self._under_way:
            self.transport.abort()
