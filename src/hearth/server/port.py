"""A port of this machine: who may ask there, the server behind it, and how many connections it takes."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hearth.core.errors import Unavailable, UsageError
from hearth.core.lazy import dataclass, regex
from hearth.disk.state_files import TOKEN, serve_token

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_HOST = regex(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?")
_ORIGIN = regex(r"https?://([^/]+)")
_MISDIRECTED = ("misdirected", "ask for localhost or 127.0.0.1, or for the name that the server listens on")
_FORBIDDEN = ("forbidden", "ask from a program, or from a page of this machine")
_UNAUTHORIZED = ("unauthorized", "send the token as Authorization: Bearer …; hearth path token says where it is")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    title: str
    detail: str
    code: str
    hint: str


@dataclass(frozen=True)
class Access:
    """``token`` is the secret that clients send, ``note`` says for people where it is."""

    token: str | None
    note: str


def choose_access(environ: Mapping[str, str], state_folder: str, *, no_auth: bool) -> Access:
    """The token of HEARTH_API_TOKEN, else the one of this machine, which is made when first needed."""
    if no_auth:
        return Access(None, "no token: every user of this machine can read and write")
    if given := environ.get("HEARTH_API_TOKEN"):
        return Access(given, "clients send the token of HEARTH_API_TOKEN")
    return Access(serve_token(Path(state_folder)), f"clients send the token in {Path(state_folder, TOKEN)}")


class Gate:
    """``host`` is where the server listens. Raises ``UsageError`` for a host that others reach without a token.

    ``open_paths`` need no token; Host and Origin are checked there, too."""

    def __init__(self, app: App, host: str, token: str | None, open_paths: Iterable[str] = ()) -> None:
        if not loopback(host) and not token:
            raise UsageError(
                f"{host} can be reached from other machines: leave out --no-auth or set "
                "HEARTH_API_TOKEN, or listen on 127.0.0.1"
            )
        self._app = app
        self._token = token.encode("utf-8") if token else None
        self._open = frozenset(open_paths)
        self._local = loopback(host)
        others = set() if self._local else {socket.gethostname().lower()}
        self._names = _LOOPBACK | {host.strip("[]").lower()} | others

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http":
            given = [(name.decode("latin-1").lower(), text.decode("latin-1")) for name, text in scope["headers"]]
            refusal = self.refusal(given, scope["path"])
            if refusal is not None:
                await _refuse(refusal, send)
                return
        await self._app(scope, receive, send)

    def refusal(self, headers: Iterable[tuple[str, str]], path: str) -> Refusal | None:
        """Why a request is turned away; header names are in lower case."""
        given: dict[str, list[str]] = {}
        for name, text in headers:
            given.setdefault(name, []).append(text)
        hosts, origins = given.get("host", []), given.get("origin", [])
        if len(hosts) != 1 or not self._ours(hosts[0]):
            return Refusal(421, "Misdirected Request", "this server does not answer for that Host", *_MISDIRECTED)
        for origin in origins:
            match = _ORIGIN.fullmatch(origin)
            if match is None or not self._ours(match[1]):
                return Refusal(403, "Forbidden", "pages of that Origin may not ask this server", *_FORBIDDEN)
        if self._token is not None and path not in self._open and not self._authorize(given):
            return Refusal(401, "Unauthorized", "the token is missing or wrong", *_UNAUTHORIZED)
        return None

    def _ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].strip("[]").lower()
        # An address can't be rebound; where others may ask, any of this machine's serves.
        return name in self._names or (not self._local and _address(name))

    def _authorize(self, given: Mapping[str, list[str]]) -> bool:
        values = given.get("authorization", [])
        scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
        known = self._token or b""
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode("latin-1"), known)


def loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _refuse(refusal: Refusal, send: Send) -> None:
    """An RFC 9457 problem."""
    about = {"type": "about:blank", "title": refusal.title, "status": refusal.status, "detail": refusal.detail}
    body = json.dumps(about | {"code": refusal.code, "hint": refusal.hint}).encode()
    headers = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(body)).encode())]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


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
