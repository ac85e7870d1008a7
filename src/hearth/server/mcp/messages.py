"""Messages to and from a client: what is malformed gets an answer, and which requests still wait for one. Serves one
client over standard input and output."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator, Mapping
from contextvars import Context
from typing import Any

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from hearth.app.pool import VaultPool
from hearth.core.hook import ENTRYPOINT, HEADLESS
from hearth.core.lazy import regex
from hearth.core.session import Sighting
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import tools

_LAST_WORDS = 10
_CANCELLED = "notifications/cancelled"


class Outgoing:
    """The SDK ends requests under way with the client's input; who pipes some lines in waits for their answers."""

    def __init__(self, outgoing: Any) -> None:
        self._outgoing = outgoing
        self._waiting: set[str | int] = set()
        self._settled = anyio.Event()

    def expect(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._waiting.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == _CANCELLED:
            self._settle((message.params or {}).get("requestId"))

    async def send(self, item: SessionMessage) -> None:
        await self._outgoing.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(item.message.id)

    async def settle(self) -> None:
        """Until every request is answered, within bounds."""
        with anyio.move_on_after(_LAST_WORDS):
            while self._waiting:
                self._settled = anyio.Event()
                await self._settled.wait()

    def _settle(self, identity: Any) -> None:
        if isinstance(identity, str | int):
            self._waiting.discard(identity)
        if not self._waiting:
            self._settled.set()

    async def __aenter__(self) -> Outgoing:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._outgoing.aclose()


# A text without an end reaches to that of the line.
_TOKENS = regex(r'"(?:[^"\\]|\\.?)*(?:"|$)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_UNREADABLE = (
    "the message can't be read: it is nested too deeply, holds half a character (a lone surrogate), or is no JSON"
)
_NO_REQUEST = "the message is no request of JSON-RPC 2.0"
_NO_IDENTITY = "a request needs an id: a text or a whole number"
_NOTIFICATIONS = "notifications/"


class Incoming:
    """What a client sends, for the SDK's server, which passes over lines that it can't read. It ends once what was
    asked is answered."""

    def __init__(self, incoming: Any, outgoing: Outgoing) -> None:
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
            try:
                item: SessionMessage | Exception = await self._incoming.__anext__()
            except StopAsyncIteration:
                await self._outgoing.settle()
                raise
            answer = refusal(item)
            if answer is None:
                if isinstance(item, SessionMessage):
                    self._outgoing.expect(item.message)
                return item
            await self._outgoing.send(SessionMessage(answer))

    async def receive(self) -> SessionMessage | Exception:
        return await self.__anext__()

    async def aclose(self) -> None:
        await self._incoming.aclose()


def refusal(item: SessionMessage | Exception) -> types.JSONRPCError | None:
    """The answer to what is no request, under the id that it names, or ``null`` (JSON-RPC 2.0, section 5) where that is
    none; ``None`` for what needs no answer: messages, answers and empty lines."""
    if isinstance(item, SessionMessage):
        message = item.message
        lost = isinstance(message, types.JSONRPCNotification) and not message.method.startswith(_NOTIFICATIONS)
        return _answer(None, types.INVALID_REQUEST, _NO_IDENTITY) if lost else None
    if not isinstance(item, ValidationError):
        return None
    for found in item.errors(include_url=False):
        given = found["input"]
        if found["type"] == "json_invalid":
            members = outline(given)
            return None if not given.strip() else _refuse(members, types.PARSE_ERROR, _UNREADABLE)
        if found["type"] in ("missing", "model_type"):
            return _refuse(given if isinstance(given, Mapping) else {}, types.INVALID_REQUEST, _NO_REQUEST)
    return None


def identified(answer: bytes, request: bytes) -> bytes:
    """An answer of the SDK to a request that it could not read, under the id that the request names; any other one as
    it is."""
    try:
        message = json.loads(answer)
    except ValueError:
        return answer
    if not isinstance(message, dict) or "error" not in message or message.get("id") is not None:
        return answer
    members = outline(request.decode("utf-8", "replace"))
    if "result" in members or "error" in members or (identity := _identity(members.get("id"))) is None:
        return answer
    return json.dumps({**message, "id": identity}, ensure_ascii=False).encode()


def outline(line: str) -> dict[str, object]:
    """The members of the outermost object of a message that no parser takes, however deep the rest is; ``None`` for
    values that are no text or number."""
    found: dict[str, object] = {}
    depth, key, after = 0, "", False
    for match in _TOKENS.finditer(line):
        token = match[0]
        if after and depth == 1:
            found.setdefault(str(_value(key)), _value(token))
        depth += (token in "[{") - (token in "]}")
        after = token == ":"
        if not after:
            key = token
    return found


def _value(token: str) -> object:
    try:
        found: object = json.loads(token)
        found.encode("utf-8") if isinstance(found, str) else None
    except ValueError:
        return None
    return found


def _refuse(members: Mapping[str, object], code: int, message: str) -> types.JSONRPCError | None:
    return None if "result" in members or "error" in members else _answer(members.get("id"), code, message)


def _answer(identity: object, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=_identity(identity), error=types.ErrorData(code=code, message=message))


def _identity(given: object) -> str | int | None:
    """The id that a message may bear."""
    return given if isinstance(given, str | int) and not isinstance(given, bool) else None


# How clients of this process name their session, where they do.
_SESSION = "CLAUDE_CODE_SESSION_ID"


def serve(vaults: VaultPool, profile: str) -> None:
    """Until the client closes its end. Standard output belongs to the protocol; logs go to standard error."""
    environ = vaults.settings().environ
    name = environ.get(_SESSION, "")
    alone = bool(name) and environ.get(ENTRYPOINT) in HEADLESS
    # Clients start it in the folder that they work in.
    client = Sighting(name, cwd=os.getcwd(), unattended=alone)  # noqa: PTH109
    server = HearthServer(vaults, tools(profile), client)
    try:
        anyio.run(_serve, server, vaults)
    except BaseExceptionGroup as group:
        if any(not isinstance(error, BrokenPipeError | ConnectionError) for error in _leaves(group)):
            raise
    finally:
        vaults.close()


async def _serve(server: HearthServer, vaults: VaultPool) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, vaults)
        async with stdio_server() as (incoming, raw):
            outgoing = Outgoing(raw)
            await server.run(Incoming(incoming, outgoing), outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _stop_on_signal(vaults: VaultPool) -> None:
    """Ends the process at once: the thread that reads standard input only ends with the client's next line. What was
    acknowledged is on the disk."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for received in signals:
            vaults.close()
            os._exit(128 + received)


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """The errors in a group. A client that went away is none: that is how a session ends."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
