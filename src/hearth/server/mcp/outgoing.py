"""What goes out to a client, and which of its requests still wait for an answer."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

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
