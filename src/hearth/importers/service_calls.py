"""Calls of the services that other systems are: lists in pages, within limits of time, size and number."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from hearth.core.errors import Unavailable, UsageError
from hearth.core.lazy import dataclass

MAX_PAGES, MAX_RECORDS = 5_000, 200_000
MAX_PAGE_BYTES = 32 * 2**20
_TRIES = 3
_MOST_WAIT = 5.0
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Service:
    """``key`` is sent to ``base`` alone and never shown; ``variable`` is the environment variable that holds it. A call
    may take ``seconds``."""

    base: str
    key: str | None
    variable: str
    seconds: float = 30.0


def find_service(place: Path, kind: str) -> str | None:
    """What follows ``kind:`` where a source names a service and no file; ``None`` where it names none."""
    name = str(place)
    if name == kind:
        return ""
    return name.removeprefix(f"{kind}:") if name.startswith(f"{kind}:") else None


def list_pages(
    service: Service,
    path: str,
    items: str,
    page_of: Callable[[int], Mapping[str, Any]],
    body: Mapping[str, Any] | None = None,
    identity: str = "id",
) -> Iterator[dict[str, Any]]:
    """Each record once, by GET, or by POST where there is a ``body``. Pages end where one brings nothing new, or where
    the service says so. Raises ``Unavailable`` for a service that fails, stalls, or answers with something else than
    pages; nothing of the source is taken then."""
    seen: set[str] = set()
    with httpx.Client(base_url=service.base, timeout=service.seconds, follow_redirects=False) as client:
        for page in range(1, MAX_PAGES + 1):
            told = _call(client, service, path, page_of(page), body)
            rows = told.get(items)
            if not isinstance(rows, list):
                raise Unavailable(f"{service.base}{path} answered without a list {items!r}; is it the right service?")
            new = 0
            for row in rows:
                if not isinstance(row, dict) or str(row.get(identity)) in seen:
                    continue
                seen.add(str(row.get(identity)))
                new += 1
                yield row
            if not new or page >= _count_pages(told):
                return
            if len(seen) > MAX_RECORDS:
                break
    raise Unavailable(f"{service.base}{path} does not end after {len(seen):,} records; ask its operator")


def _count_pages(told: Mapping[str, Any]) -> float:
    inner = told.get("pagination")
    known = told.get("pages") or (inner.get("totalPages") if isinstance(inner, dict) else None)
    return float(known) if isinstance(known, int | float) else float("inf")


def _call(
    client: httpx.Client, service: Service, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None
) -> dict[str, Any]:
    if not service.key:
        raise UsageError(f"set {service.variable} to the key of {service.base}")
    headers = {"Authorization": f"Bearer {service.key}", "Accept": "application/json"}
    method = "GET" if body is None else "POST"
    why = ""
    for attempt in range(_TRIES):
        ends = time.monotonic() + service.seconds
        try:
            with client.stream(method, path, params=dict(query), json=body, headers=headers) as answer:
                data = _read(answer, ends)
        except httpx.HTTPError as error:
            why = f"{type(error).__name__}: {error}"
            continue
        if answer.status_code in _RETRIED:
            why = f"status {answer.status_code}"
            time.sleep(min(_MOST_WAIT, _read_wait(answer, attempt)))
            continue
        if answer.status_code in (401, 403):
            raise Unavailable(f"{service.base} refused the key in {service.variable} (status {answer.status_code})")
        if answer.status_code >= 300:
            raise Unavailable(f"{service.base}{path} answered with status {answer.status_code}")
        return _decode(data, f"{service.base}{path}")
    raise Unavailable(f"{service.base}{path} does not answer ({why[:200]}); try again later")


def _read(answer: httpx.Response, ends: float) -> bytes:
    data = bytearray()
    for part in answer.iter_bytes():
        data += part
        if len(data) > MAX_PAGE_BYTES:
            raise Unavailable(f"{answer.url} answered with more than {MAX_PAGE_BYTES // 2**20} MB")
        if time.monotonic() > ends:
            raise httpx.ReadTimeout("the answer did not end in time")
    return bytes(data)


def _read_wait(answer: httpx.Response, attempt: int) -> float:
    try:
        return max(0.0, float(answer.headers.get("retry-after", "")))
    except ValueError:
        return 0.2 * (attempt + 1)


def _decode(data: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        start = data[:60].decode("utf-8", "replace")
        raise Unavailable(f"{where} did not answer with JSON but with {start!r}; is it the right address?") from error
    if not isinstance(found, dict):
        raise Unavailable(f"{where} answered with something else than an object; is it the right service?")
    return found
