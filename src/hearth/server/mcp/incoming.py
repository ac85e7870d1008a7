"""Lines that are no message: each that names an id gets an answer, since a client waits for one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextvars import Context
from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from hearth.lazy import regex

# A text without an end reaches to that of the line.
_TOKENS = regex(r'"(?:[^"\\]|\\.?)*(?:"|$)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_UNREADABLE = (
    "the message can't be read: it is nested too deeply, holds half a character (a lone surrogate), or is no JSON"
)
_NO_REQUEST = "the message is no request of JSON-RPC 2.0"


class Incoming:
    """What a client sends, for the SDK's server, which passes over lines that it can't read."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Context | None:
        found: Context | None = self._incoming.last_context
        return found

    async def __aenter__(self) -> Incoming:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._incoming.__anext__()
            answer = refusal(item) if isinstance(item, ValidationError) else None
            if answer is None:
                return item
            await self._outgoing.send(SessionMessage(answer))

    async def receive(self) -> SessionMessage | Exception:
        return await self.__anext__()

    async def aclose(self) -> None:
        await self._incoming.aclose()


def refusal(error: ValidationError) -> types.JSONRPCError | None:
    """The answer to a line that could not be taken in; ``None`` where it names no id to answer to."""
    for found in error.errors(include_url=False):
        given = found["input"]
        if found["type"] == "json_invalid":
            return _answer(identity(given), types.PARSE_ERROR, _UNREADABLE)
        if found["type"] == "missing" and isinstance(given, Mapping) and "jsonrpc" in given:
            return _answer(given.get("id"), types.INVALID_REQUEST, _NO_REQUEST)
    return None


def identity(line: str) -> str | int | None:
    """The id of a message that no parser takes: the one of its outermost object, however deep the rest is."""
    depth, key, after = 0, "", False
    for match in _TOKENS.finditer(line):
        token = match[0]
        if after and depth == 1 and key == '"id"':
            return _value(token)
        depth += (token in "[{") - (token in "]}")
        after = token == ":"
        if not after:
            key = token
    return None


def _value(token: str) -> str | int | None:
    try:
        found = json.loads(token)
        found.encode("utf-8") if isinstance(found, str) else None
    except ValueError:
        return None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _answer(identity: object, code: int, said: str) -> types.JSONRPCError | None:
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        return None
    return types.JSONRPCError(jsonrpc="2.0", id=identity, error=types.ErrorData(code=code, message=said))
