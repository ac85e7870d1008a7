"""A port of this machine, the server behind it, and how many connections it takes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, MutableMapping
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.server.gate import App, Receive, Send

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


@dataclass(frozen=True, slots=True)
class Place:
    host: str
    port: int


def listening(place: Place) -> socket.socket:
    """A socket that listens there. Raises ``Unavailable`` where the port is taken."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    # With the protocol named asyncio sends at once; else each answer waits 40 ms for an acknowledgement.
    port = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port.bind((place.host, place.port))
        port.listen(128)
    except OSError as error:
        port.close()
        raise Unavailable(
            f"can't listen on {place.host}:{place.port}: {error.strerror}; choose another --port"
        ) from error
    return port


def url(place: Place, port: socket.socket) -> str:
    host = f"[{place.host}]" if ":" in place.host else place.host
    return f"http://{host}:{port.getsockname()[1]}"


def server(app: App, close: Callable[[], None], last_words: int, **more: bool) -> uvicorn.Server:
    """Serves ``app`` until SIGTERM or Ctrl-C, then calls ``close``; requests under way get ``last_words`` seconds."""
    config = uvicorn.Config(
        _closing(app, close),
        http=Connection,
        timeout_keep_alive=HEAD_SECONDS,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=last_words,
        lifespan="on",
        **more,  # type: ignore[arg-type]
    )
    return uvicorn.Server(config)


def _closing(app: App, close: Callable[[], None]) -> App:
    """Closes after the last request: a signal ends the process before whatever would come later."""

    async def closing(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        finally:
            if scope["type"] == "lifespan":
                close()

    return closing
