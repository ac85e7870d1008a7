"""The ASGI application: a request to its route, what that gives into a response. REST and MCP are served on one port
until somebody ends it."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as Path

from hearth.app.pool import VaultPool
from hearth.core.lazy import dataclass
from hearth.operations.arguments import Arguments
from hearth.operations.operation import JSON, LINES
from hearth.operations.problems import REST
from hearth.operations.shapes import valid
from hearth.server.limits import ROUTE, Allowance, ClientLimits, Meter, RefusedRequest, refused
from hearth.server.mcp.http import PATH as MCP_PATH
from hearth.server.mcp.http import application as mcp_application
from hearth.server.port import App, Gate, Place, Receive, Send, listening, server, url
from hearth.server.routes import OPEN_PATHS, PREFIX, RestRoute, body, document, from_body, from_query, routes, spooled
from hearth.server.runner import DEADLINE, Chunks, RouteRunner

logger = logging.getLogger("hearth.server")

SLOW_READER_SECONDS = 30.0
_MOST_STREAMS = 4
_COMMON = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def application(vaults: VaultPool, *, token: bool = False, deadline: float = DEADLINE) -> App:
    """Without the checks of who may ask and how much, which ``serve`` puts before it."""
    return _Api(vaults, token=token, deadline=deadline).app


class _Api:
    def __init__(self, vaults: VaultPool, *, token: bool, deadline: float) -> None:
        self._vaults = vaults
        self._deadline = deadline
        self._runner: RouteRunner | None = None
        self._streams = 0
        self._routes = routes()
        self._token = token
        shapes = dict.fromkeys(route.path for route in self._routes)
        paths = [self._path(prefix, shape) for prefix in ("", PREFIX) for shape in shapes]
        paths += [Path(f"{prefix}/openapi.json", self._openapi, methods=["GET"]) for prefix in ("", PREFIX)]
        handlers: Mapping[Any, Any] = {HTTPException: _refuse_path}
        self.app = Starlette(routes=paths, exception_handlers=handlers)
        self.app.router.redirect_slashes = False  # another path is another operation, or none

    @cached_property
    def _document(self) -> bytes:
        """Made when first asked for: it takes longer than all else that a start does."""
        return json.dumps(document(self._routes, token=self._token), ensure_ascii=False).encode("utf-8")

    @property
    def _run(self) -> RouteRunner:
        """Made in the event loop, to which its limits belong."""
        if self._runner is None:
            self._runner = RouteRunner(self._vaults, self._deadline)
        return self._runner

    def _path(self, prefix: str, path: str) -> Path:
        """All that can be done at a path."""
        methods = {route.method: route for route in self._routes if route.path == path}

        async def endpoint(request: Request) -> Response:
            # A router lets HEAD pass for GET.
            return await self._tell(methods["GET" if request.method == "HEAD" else request.method], request)

        # A document may be named by a path, slashes and all.
        return Path(prefix + path.replace("{docid}", "{docid:path}"), endpoint, methods=[*methods])

    async def _tell(self, route: RestRoute, request: Request) -> Response:
        request.scope[ROUTE] = route.path
        try:
            return await self._answer(route, request)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:  # noqa: BLE001 (told to the client, never its details)
            return _problem(refused(error, f"{route.method} {route.path}"))

    async def _answer(self, route: RestRoute, request: Request) -> Response:
        wanted = from_query(route, request.scope["query_string"]) | _from_path(request)
        if route.source:
            source = await spooled(request.stream(), request.headers.get("content-type", ""))
            with source:
                return _json(await self._run.run(route, route.view.read(wanted), source))
        if route.in_body is not None:
            raw = await body(request.stream())
            wanted |= from_body(route, raw, request.headers.get("content-type", ""))
        checked = route.view.read(wanted)
        if route.media == LINES:
            return await self._stream(route, checked)
        answer = await self._run.run(route, checked)
        if route.media == JSON:
            return _json(answer)
        lines = [answer, *request.scope["hearth.meter"].lines()] if "hearth.meter" in request.scope else [answer]
        return Response("\n".join(lines) + "\n", headers={**_COMMON, "content-type": route.media})

    async def _stream(self, route: RestRoute, given: Arguments) -> Response:
        if self._streams >= _MOST_STREAMS:
            raise RefusedRequest(503, "busy", f"{self._streams} exports are under way", retry_after=10)
        self._streams += 1
        try:
            chunks = await self._run.chunks(route, given)
        except BaseException:
            self._streams -= 1
            raise
        return _Streamed(chunks, self._ended)

    def _ended(self) -> None:
        self._streams -= 1

    async def _openapi(self, request: Request) -> Response:
        request.scope[ROUTE] = "/openapi.json"
        return Response(self._document, headers={**_COMMON, "content-type": JSON})


class _Streamed(Response):
    """An answer that goes out as it is made; one who does not read it holds it up for so long and no longer."""

    def __init__(self, chunks: Chunks, ended: Callable[[], None]) -> None:
        super().__init__(headers=_COMMON, media_type=LINES)
        del self.headers["content-length"]
        self._pieces = chunks
        self._end = ended

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_end_gone, receive, tasks.cancel_scope)
                await self._send(send)
                tasks.cancel_scope.cancel()
        finally:
            self._end()
            await self._pieces.close()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        while chunk := await self._pieces.next():
            with anyio.move_on_after(SLOW_READER_SECONDS) as patience:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            if patience.cancelled_caught:
                logger.warning("a reader of an export was too slow and was cut off")
                return
        await send({"type": "http.response.body", "body": b""})


async def _end_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Ends an answer whose client went away: a server sends to nobody without complaint."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _from_path(request: Request) -> dict[str, Any]:
    return {name: str(value) for name, value in request.path_params.items()}


def _json(answer: Any) -> Response:
    body = json.dumps(valid(answer, surface=REST), ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return Response(body, headers={**_COMMON, "content-type": JSON})


def _problem(refusal: RefusedRequest, headers: Mapping[str, str] | None = None) -> Response:
    response = Response(refusal.body(), status_code=refusal.status, headers={**_COMMON, **(headers or {})})
    for name, value in refusal.headers():
        response.headers[name.decode()] = value.decode()
    if refusal.status in (408, 413):
        response.headers["connection"] = "close"
    return response


async def _refuse_path(request: Request, error: Exception) -> Response:
    """No such path, or not with that method."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _problem(RefusedRequest(404, "not_found", "no such route", "GET /openapi.json lists them"))
    return _problem(RefusedRequest(error.status_code, "method", str(error.detail)), error.headers)


# Seconds that a stopping server gives to the requests it is answering.
_LAST_WORDS = 10


@dataclass(frozen=True)
class ServerOptions:
    """``token`` is the secret that clients send, ``profile`` which tools MCP clients see, ``deadline`` the seconds that
    an answer by REST may take. ``note`` is said beside the address."""

    place: Place
    token: str | None
    profile: str
    allowed: Allowance | None = None
    deadline: float = DEADLINE
    note: str = ""


def everything(vaults: VaultPool, served: ServerOptions) -> App:
    """REST and MCP behind the gate and within the limits. Raises ``UsageError`` for a host that needs a token."""
    rest = application(vaults, token=served.token is not None, deadline=served.deadline)
    mcp = mcp_application(vaults, served.profile)
    limited = ClientLimits(_Root(rest, mcp), served.allowed, (MCP_PATH,))
    return Meter(Gate(limited, served.place.host, served.token, OPEN_PATHS), (MCP_PATH,))


def prepared(vaults: VaultPool, served: ServerOptions, ended: Callable[[], None] = lambda: None) -> uvicorn.Server:
    """The server, which calls ``ended`` and closes the vaults in the end. Raises ``UsageError`` as ``everything``."""

    def close() -> None:
        ended()
        vaults.close()

    # Who asks is who is connected, whatever headers say.
    return server(everything(vaults, served), close, _LAST_WORDS, server_header=False, proxy_headers=False)


def serve(
    vaults: VaultPool,
    served: ServerOptions,
    *,
    begin: Callable[[], None] = lambda: None,
    ended: Callable[[], None] = lambda: None,
) -> None:
    """Until SIGTERM or Ctrl-C, letting requests under way finish; ``begin`` is called before the first one, ``ended``
    after the last.

    Raises ``UsageError`` for a host without a token that needs one, ``Unavailable`` where the port is taken."""
    ready = prepared(vaults, served, ended)
    port = listening(served.place)
    begin()
    note = f"; {served.note}" if served.note else ""
    sys.stderr.write(f"hearth: serving at {url(served.place, port)} (REST), {MCP_PATH} (MCP){note}\n")
    sys.stderr.flush()
    ready.run(sockets=[port])


class _Root:
    """MCP at its path, REST at all others. Only MCP has something to start and stop."""

    def __init__(self, rest: App, mcp: App) -> None:
        self._rest = rest
        self._mcp = mcp

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        ours = scope["type"] == "http" and scope["path"] != MCP_PATH
        await (self._rest if ours else self._mcp)(scope, receive, send)
