"""``hearth serve``: the memory over HTTP, and the daemon in the same process."""

from __future__ import annotations

import threading
from collections.abc import Callable

import click

from hearth.app.pool import VaultPool
from hearth.cli import options, served
from hearth.cli.output import warn
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import HearthError
from hearth.daemon.address import address
from hearth.daemon.run import Start, run, running
from hearth.server.application import ServerOptions
from hearth.server.application import serve as serve_rest
from hearth.server.port import Place, choose_access

# Seconds for the daemon to take its socket, and to end.
_DAEMON_WAIT = 10.0


@click.command()
@click.option("--host", metavar="HOST", help="Where to listen; else server.host (127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(0, 65_535), metavar="PORT", help="Its port; else server.port. 0: a free one."
)
@options.no_auth
@pass_session
def serve(session: CommandSession, host: str | None, port: int | None, no_auth: bool) -> None:
    """Serve the memory by REST and MCP, and answer the hooks of this machine, until Ctrl-C."""
    vaults = VaultPool(session.vault_name)
    settings = vaults.settings()
    server = settings.loaded.config.server
    place = Place(host or server.host, server.port if port is None else port)
    access = choose_access(settings.environ, settings.folders.state, no_auth=no_auth)
    served_with = ServerOptions(place, access.token, server.mcp_profile, note=access.note)
    session.kept = "every answer given is kept"
    beside = Beside(vaults)
    # The address decides first whether anything is served at all.
    serve_rest(
        vaults,
        served_with,
        begin=beside.start if settings.loaded.config.daemon.mode != "never" else lambda: None,
        ended=beside.stop,
    )


class Beside:
    """The daemon in a thread of this process, on the same vaults, unless one runs already."""

    def __init__(self, pool: VaultPool) -> None:
        self._pool = pool
        self._environ = pool.former_settings.environ
        self._settled = threading.Event()
        self._stop: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Waits until it listens: what it does to the process on the way must not meet a request."""
        if (other := running(address(self._environ))) is not None:
            warn(f"hooks are still answered by {other}")
            return
        self._thread = threading.Thread(target=self._run, name="hearth-daemon", daemon=True)
        self._thread.start()
        self._settled.wait(_DAEMON_WAIT)

    def stop(self) -> None:
        if self._stop is not None:
            self._stop()
        if self._thread is not None:
            self._thread.join(_DAEMON_WAIT)

    def _run(self) -> None:
        try:
            run(self._environ, Start(stay=True, ready=self._ready, pool=self._pool, commands=served.begin))
        except (HearthError, OSError) as error:
            warn(f"hooks are not answered by this process: {error}")
        finally:
            self._settled.set()

    def _ready(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._settled.set()
