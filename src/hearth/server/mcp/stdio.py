"""Serving one client over standard input and output."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import anyio
from mcp.server.stdio import stdio_server

from hearth.app.pool import VaultPool
from hearth.core.hook import ENTRYPOINT, HEADLESS
from hearth.core.session import Sighting
from hearth.server.mcp.messages import Incoming, Outgoing
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import tools

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
