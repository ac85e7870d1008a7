"""``hearth mcp``: the memory as tools of an agent."""

from __future__ import annotations

import gc

import click

from hearth.cli import options
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import UsageError

_PORT = click.IntRange(0, 65_535)


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input and output.")
@click.option("--host", metavar="HOST", help="Where to listen; else server.host (127.0.0.1).")
@click.option("--port", type=_PORT, metavar="PORT", help="Its port; else server.port. 0: a free one.")
@click.option(
    "--profile", type=click.Choice(["core", "full"]), help="Tools to list [default: server.mcp_profile (core)]."
)
@options.no_auth
@pass_session
def mcp(
    session: CommandSession, http: bool, host: str | None, port: int | None, profile: str | None, no_auth: bool
) -> None:
    """Serve the memory to an agent by the Model Context Protocol, until the client ends or Ctrl-C."""
    if not http and (host is not None or port is not None or no_auth):
        raise UsageError("--host, --port and --no-auth need --http")
    # The SDK makes very many objects that stay; looking for garbage among them takes a sixth of the start.
    gc.disable()
    from hearth.app.pool import VaultPool

    vaults = VaultPool(session.vault_name)
    settings = vaults.settings()
    server = settings.loaded.config.server
    chosen = profile or server.mcp_profile
    session.kept = "every answer given is kept"
    if not http:
        from hearth.server.mcp.messages import serve

        _freeze()
        serve(vaults, chosen)
        return
    from hearth.server.mcp.http import serve_http
    from hearth.server.port import Place, choose_access

    _freeze()
    place = Place(host or server.host, server.port if port is None else port)
    access = choose_access(settings.environ, settings.folders.state, no_auth=no_auth)
    serve_http(vaults, chosen, place, access)


def _freeze() -> None:
    """What is loaded stays, so no collection need look at it again."""
    gc.freeze()
    gc.enable()
