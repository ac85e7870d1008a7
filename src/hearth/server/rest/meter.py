"""Counts and times of requests, in the text format of Prometheus."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, MutableMapping
from typing import Any

from hearth.server.gate import App, Message, Receive, Send

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

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        began = time.perf_counter()
        self.under_way += 1
        scope["hearth.meter"] = self
        try:
            await self._app(scope, receive, seen)
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
