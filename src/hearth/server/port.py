"""A port of this machine, and the server behind it."""

from __future__ import annotations

import socket
from collections.abc import Callable, MutableMapping
from typing import Any

import uvicorn

from hearth.errors import Unavailable
from hearth.lazy import dataclass
from hearth.server.connection import HEAD_SECONDS, Connection
from hearth.server.gate import App, Receive, Send


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
