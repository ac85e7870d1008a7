"""Serving REST and MCP on one port until somebody ends it."""

from __future__ import annotations

import sys
from collections.abc import Callable, MutableMapping
from typing import Any

import uvicorn

from hearth.app.pool import VaultPool
from hearth.core.lazy import dataclass
from hearth.server.application import application
from hearth.server.limits import Allowance, ClientLimits, Meter
from hearth.server.mcp.http import PATH as MCP_PATH
from hearth.server.mcp.http import application as mcp_application
from hearth.server.port import App, Gate, Place, Receive, Send, listening, server, url
from hearth.server.routes import OPEN_PATHS
from hearth.server.runner import DEADLINE

# Seconds that requests under way get when the server is told to stop.
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
