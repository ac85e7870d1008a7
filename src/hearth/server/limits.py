"""What the server lets in, and refusals as RFC 9457 problem details."""

from __future__ import annotations

import json
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import field
from http import HTTPStatus
from typing import Any

from hearth.core.lazy import dataclass
from hearth.operations.problems import REST, Problem, problem
from hearth.operations.shapes import valid
from hearth.server.port import App, Message, Receive, Send

MEDIA = "application/problem+json"
_STATUS = {
    "usage": 400,
    "not_found": 404,
    "ambiguous": 409,
    "conflict": 409,
    "unavailable": 503,
    "rebuilding": 503,
    "index_newer": 503,
    "bad_reply": 502,
}
_HINTS = {
    "method": "GET /openapi.json says which methods a route takes",
    "media_type": "name the type of the body in Content-Type",
    "too_large": "send less at a time",
    "too_slow": "send the body at once",
    "rate": "ask again after the seconds of Retry-After, and less often",
    "concurrency": "wait for the answers to come before asking more",
    "busy": "ask again after the seconds of Retry-After",
    "deadline": "ask again later, or for less at a time",
    "stopped": "ask again when the server runs",
}
_OTHERWISE = "GET /openapi.json says what is taken"
_RETRY = {"unavailable": 5, "rebuilding": 30, "index_newer": 60}


@dataclass(frozen=True)
class RefusedRequest(Exception):
    """A request that is not carried out. ``retry_after`` is in seconds."""

    status: int
    code: str
    detail: str
    hint: str = ""
    retry_after: int | None = None
    candidates: tuple[str, ...] = field(default=())

    def body(self) -> bytes:
        found: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        found["hint"] = self.hint or _HINTS.get(self.code, _OTHERWISE)
        found |= {"candidates": list(self.candidates)} if self.candidates else {}
        return json.dumps(valid(found), ensure_ascii=False).encode("utf-8")

    def headers(self) -> list[tuple[bytes, bytes]]:
        found = [(b"content-type", MEDIA.encode()), (b"cache-control", b"no-store")]
        if self.retry_after is not None:
            found.append((b"retry-after", str(self.retry_after).encode()))
        return found


def refused(error: Exception, where: str) -> RefusedRequest:
    """What a client hears of an error; ``where`` is the request, for the log."""
    if isinstance(error, RefusedRequest):
        return error
    found: Problem = problem(error, where, REST)
    status = _STATUS.get(found.code, 500)
    return RefusedRequest(status, found.code, found.message, found.hint, _RETRY.get(found.code), found.candidates)


_CLIENTS = 4_096


@dataclass(frozen=True, slots=True)
class Allowance:
    """``rate`` is requests a second in the long run, ``burst`` how many may come at once; ``client`` and ``total`` are
    requests under way."""

    rate: float = 200.0
    burst: float = 400.0
    client: int = 64
    total: int = 128


@dataclass
class _Client:
    tokens: float
    at: float
    under_way: int = 0


class ClientLimits:
    """A client is an address. The paths ``streams`` stay open for long and bound themselves: only their rate counts."""

    def __init__(
        self,
        app: App,
        allowed: Allowance | None = None,
        streams: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._allowed = allowed or Allowance()
        self._streams = streams
        self._clock = clock
        self._clients: OrderedDict[str, _Client] = OrderedDict()
        self._under_way = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = self._client((scope.get("client") or ("",))[0])
        stream = scope["path"] in self._streams
        refusal = self._refusal(client, stream=stream)
        if refusal is not None:
            await _refuse(refusal, send)
            return
        if stream:
            await self._app(scope, receive, send)
            return
        client.under_way += 1
        self._under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            client.under_way -= 1
            self._under_way -= 1

    def _client(self, name: str) -> _Client:
        now = self._clock()
        client = self._clients.pop(name, None) or _Client(self._allowed.burst, now)
        client.tokens = min(self._allowed.burst, client.tokens + (now - client.at) * self._allowed.rate)
        client.at = now
        self._clients[name] = client
        while len(self._clients) > _CLIENTS:
            # Who was not heard of for longest has all tokens again, or else there are more clients than that.
            self._clients.popitem(last=False)
        return client

    def _refusal(self, client: _Client, *, stream: bool) -> RefusedRequest | None:
        if client.tokens < 1:
            wait = max(1, math.ceil((1 - client.tokens) / self._allowed.rate))
            return RefusedRequest(429, "rate", f"over {self._allowed.rate:.0f} requests a second", retry_after=wait)
        if not stream and client.under_way >= self._allowed.client:
            return RefusedRequest(
                429, "concurrency", f"{client.under_way} requests of yours are under way", retry_after=1
            )
        if not stream and self._under_way >= self._allowed.total:
            return RefusedRequest(503, "busy", f"{self._under_way} requests are under way", retry_after=1)
        client.tokens -= 1
        return None


async def _refuse(refusal: RefusedRequest, send: Send) -> None:
    body = refusal.body()
    headers = [*refusal.headers(), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


ROUTE = "hearth.route"
"""Where the application leaves the name of the route in the scope."""
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Meter:
    """Stands outermost, so that refusals count, too. Belongs to one event loop."""

    def __init__(self, app: App, streams: tuple[str, ...] = ()) -> None:
        self._app = app
        self._streams = streams
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: dict[str, float] = {}
        self._count: Counter[str] = Counter()
        self.under_way = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        began = time.perf_counter()
        self.under_way += 1
        scope["hearth.meter"] = self
        try:
            await self._app(scope, receive, note_status)
        finally:
            self.under_way -= 1
            name = scope.get(ROUTE) or (scope["path"] if scope["path"] in self._streams else "other")
            self._take(name, scope["method"], status, time.perf_counter() - began)

    def _take(self, route: str, method: str, status: int, seconds: float) -> None:
        # A method may be any word.
        known = method if method in ("GET", "POST", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH") else "other"
        self._requests[route, known, status] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds
        self._count[route] += 1
        for bound in BOUNDS:
            if seconds <= bound:
                self._buckets[route, bound] += 1

    def lines(self) -> Iterator[str]:
        yield "# HELP hearth_requests_total Requests answered; status 0: none was sent."
        yield "# TYPE hearth_requests_total counter"
        for (route, method, status), count in sorted(self._requests.items()):
            yield f'hearth_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}'
        yield "# HELP hearth_request_seconds Time from the first byte of a request to the last of its answer."
        yield "# TYPE hearth_request_seconds histogram"
        for route, count in sorted(self._count.items()):
            for bound in BOUNDS:
                yield f'hearth_request_seconds_bucket{{route="{route}",le="{bound}"}} {self._buckets[route, bound]}'
            yield f'hearth_request_seconds_bucket{{route="{route}",le="+Inf"}} {count}'
            yield f'hearth_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'hearth_request_seconds_count{{route="{route}"}} {count}'
        yield "# HELP hearth_requests_under_way Requests that are being answered."
        yield "# TYPE hearth_requests_under_way gauge"
        yield f"hearth_requests_under_way {self.under_way}"
