"""Serving many clients over streamable HTTP, behind the gate."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings

from hearth.app.pool import VaultPool
from hearth.server.mcp.messages import identified
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import tools
from hearth.server.port import Access, App, Gate, Message, Place, Receive, Send, listening, server, url

PATH = "/mcp"
MOST_BODY_BYTES = 2 * 1024 * 1024
MOST_SESSIONS = 200
IDLE_SECONDS = 1_800
_ERRORS = 400
# Seconds that requests under way get when the server is told to stop.
_LAST_WORDS = 5


def application(vaults: VaultPool, profile: str) -> App:
    """The ASGI application for ``/mcp``; whoever mounts it runs its lifespan and puts a ``Gate`` before it."""
    return _Whole(_app(vaults, profile))


class _Whole:
    """Hands a request on once its body is there, up to the limit: the SDK takes a client that goes away meanwhile for
    an error of its own. An error bears the id of the request, which the SDK leaves out where it can't read the rest."""

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

        body = b"".join(message.get("body", b"") for message in seen)
        await self._app(scope, again, _Named(send, body))


class _Named:
    """Sends what it is given; a JSON-RPC error, which comes in one piece, under the id that ``body`` names."""

    def __init__(self, send: Send, body: bytes) -> None:
        self._send = send
        self._body = body
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= _ERRORS:
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None:
            if not message.get("more_body", False):
                body = identified(message.get("body", b""), self._body)
                others = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
                start = {**start, "headers": [*others, (b"content-length", str(len(body)).encode())]}
                message = {**message, "body": body}
            await self._send(start)
        await self._send(message)


def _app(vaults: VaultPool, profile: str) -> App:
    return HearthServer(vaults, tools(profile)).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY_BYTES,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def serve_http(vaults: VaultPool, profile: str, place: Place, access: Access) -> None:
    """Until SIGTERM or Ctrl-C, letting requests under way finish. Raises ``UsageError`` for a host without a token that
    needs one, ``Unavailable`` where the port is taken."""
    gate = Gate(application(vaults, profile), place.host, access.token)
    served = server(gate, vaults.close, _LAST_WORDS)
    port = listening(place)
    sys.stderr.write(f"hearth: serving MCP at {url(place, port)}{PATH}; {access.note}\n")
    sys.stderr.flush()
    served.run(sockets=[port])
