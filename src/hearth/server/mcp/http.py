"""Serving many clients over streamable HTTP, behind the gate."""

from __future__ import annotations

import socket
import sys
from collections.abc import MutableMapping
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from hearth.errors import Unavailable
from hearth.lazy import dataclass
from hearth.pool.pool import VaultPool
from hearth.server.connection import HEAD_SECONDS, Connection
from hearth.server.gate import App, Gate, Message, Receive, Send
from hearth.server.mcp.catalog import tools
from hearth.server.mcp.protocol import HearthServer

PATH = "/mcp"
MOST_BODY_BYTES = 2 * 1024 * 1024
MOST_SESSIONS = 200
IDLE_SECONDS = 1_800
# Seconds that requests under way get when the server is told to stop.
_LAST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Place:
    host: str
    port: int


def application(vaults: VaultPool, profile: str) -> App:
    """The ASGI application for ``/mcp``; whoever mounts it runs its lifespan and puts a ``Gate`` before it."""
    return _Whole(_app(vaults, profile))


class _Whole:
    """Hands a request on once its body is there, up to the limit: the SDK takes a client that goes away meanwhile for
    an error of its own."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen: list[Message] = []
        size, more = 0, True
        while more and size <= MOST_BODY_BYTES:
            message = await receive()
            if message["type"] != "http.request":
                return
            seen.append(message)
            size += len(message.get("body", b""))
            more = message.get("more_body", False)

        async def again() -> Message:
            return seen.pop(0) if seen else await receive()

        await self._app(scope, again, send)


def _app(vaults: VaultPool, profile: str) -> App:
    return HearthServer(vaults, tools(profile)).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY_BYTES,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def serve_http(vaults: VaultPool, profile: str, place: Place, token: str | None) -> None:
    """Until SIGTERM or Ctrl-C, letting requests under way finish. Raises ``UsageError`` for a host without a token that
    needs one, ``Unavailable`` where the port is taken."""
    gate = Gate(application(vaults, profile), place.host, token)
    config = uvicorn.Config(
        _closing(gate, vaults),
        http=Connection,
        timeout_keep_alive=HEAD_SECONDS,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_LAST_WORDS,
        lifespan="on",
    )
    port = listening(place)
    host = f"[{place.host}]" if ":" in place.host else place.host
    sys.stderr.write(f"hearth: serving MCP at http://{host}:{port.getsockname()[1]}{PATH}\n")
    sys.stderr.flush()
    uvicorn.Server(config).run(sockets=[port])


def _closing(app: App, vaults: VaultPool) -> App:
    """Closes the vaults with the last request: a signal ends the process before whatever would come later."""

    async def closing(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        finally:
            if scope["type"] == "lifespan":
                vaults.close()

    return closing


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
