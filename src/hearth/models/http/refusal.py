"""What a reply that is no answer means."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from hearth.errors import BadReply
from hearth.lazy import regex
from hearth.text.lines import cut_line

Verdict = Literal["again", "key", "quota", "count", "length", "input", "place"]

_SHOWN = 200
_AGAIN = frozenset({408, 409, 424, 425, 429})
# 500: llama-server answers so where a text exceeds its physical batch.
_ABOUT_INPUT = frozenset({400, 413, 422, 500})
_COUNT = regex(r"batch[ _]size\W+\d+ ?>|too many (?:inputs|texts|documents|items|requests in)|at most \d+ ", re.I)
_LENGTH = regex(
    r"too (?:large|long|big)|too many tokens|context[ _](?:length|window|size)|physical batch size"
    r"|max\w*[ _](?:\w+[ _])?(?:length|tokens)|longer than|must have less than \d+ tokens|token limit",
    re.I,
)
_QUOTA = regex(r"insufficient_quota|billing|credit balance|payment", re.I)


class RefusedInput(BadReply):
    """The server read the request and refused what it holds; ``kind`` says whether for the number of texts, the length
    of one, or for another reason."""

    def __init__(self, message: str, kind: Literal["count", "length", "input"] = "input") -> None:
        super().__init__(message)
        self.kind = kind


def judge(status: int, body: bytes) -> Verdict:
    """``again``: worth repeating; ``key``, ``quota``, ``place``: nothing to be had here until somebody acts;
    the others: about what was sent."""
    if status in (401, 403):
        return "key"
    text = body[:4000].decode("utf-8", "replace")
    if status == 402 or (status == 429 and _QUOTA.search(text)):
        return "quota"
    if status in _ABOUT_INPUT and _COUNT.search(text):
        return "count"
    if status == 413 or (status in _ABOUT_INPUT and _LENGTH.search(text)):
        return "length"
    if status in (400, 422):
        return "input"
    return "again" if status in _AGAIN or (status >= 500 and status != 501) else "place"


def words(body: bytes) -> str:
    """What the server says about it, in one line; empty where it says nothing readable."""
    try:
        said = _message(json.loads(body))
    except (ValueError, RecursionError):
        said = body[:4000].decode("utf-8", "replace")
        said = "" if "<html" in said.lower() else said
    return cut_line(" ".join("".join(sign if sign.isprintable() else " " for sign in said).split()), _SHOWN)


def _message(reply: Any) -> str:
    """The text in the shapes in use: ``{"error": {"message"}}``, ``{"error"}``, ``{"message"}``, ``{"detail"}``."""
    for name in ("error", "message", "detail", "msg"):
        if isinstance(reply, list) and reply:
            reply = reply[0]
        if isinstance(reply, dict) and name in reply:
            reply = reply[name]
    return reply if isinstance(reply, str) else ""
