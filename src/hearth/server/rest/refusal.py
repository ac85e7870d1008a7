"""Refusals and errors as RFC 9457 problem details."""

from __future__ import annotations

import json
from dataclasses import field
from http import HTTPStatus
from typing import Any

from hearth.core.lazy import dataclass
from hearth.operations.problems import REST, Problem, problem
from hearth.operations.values import valid

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
