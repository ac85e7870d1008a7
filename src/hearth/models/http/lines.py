"""The JSON lines that go to the batch service and come back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearth.models.http import refusal

MAX_LINE = 2**20
"""Bytes: a vector of 8,192 numbers is about 200 kB of JSON."""


_NOT_TRIED = frozenset({"batch_expired", "batch_cancelled"})


def mark(rendered: str) -> str:
    """Names a text in a batch by what it holds, so that any later run can tell which answer is whose."""
    return hashlib.sha256(rendered.encode("utf-8", "replace")).hexdigest()[:40]


def line(rendered: str, path: str, payload: dict[str, Any]) -> bytes:
    """One request."""
    request = {"custom_id": mark(rendered), "method": "POST", "url": path, "body": payload}
    return json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def form(purpose: str, data: bytes, boundary: str) -> bytes:
    """The multipart form that uploads ``data`` as a file."""
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n{purpose}\r\n'
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="texts.jsonl"\r\n'
        "content-type: application/jsonl\r\n\r\n"
    )
    return head.encode() + data + f"\r\n--{boundary}--\r\n".encode()


def answers(path: Path) -> Iterator[tuple[str, Any, str | None]]:
    """(mark, reply, problem) of each line of a result file: a reply, or why there is none. A line that can't be read
    or says that the time ran out is passed over: its text was not tried."""
    with path.open("rb") as file:
        while data := file.readline(MAX_LINE):
            try:
                answer = json.loads(data)
                name = answer["custom_id"]
                response = answer.get("response") or {}
                status, body = response.get("status_code"), response.get("body")
                error = answer.get("error") or {}
                code = error.get("code")
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
            if status == 200 and not error:
                yield name, body, None
            elif code not in _NOT_TRIED:
                said = refusal.words(json.dumps(error or body or {}).encode())
                yield name, None, said or f"HTTP {status}"
