"""``hearth path``: where everything is."""

from __future__ import annotations

from pathlib import Path

import click

from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.config import config_file
from hearth.disk.local_key import TOKEN

NAMES = ("config", "data", "journal", "cache", "index", "state", "token", "runtime")


@click.command()
@click.argument("what", required=False, type=click.Choice(NAMES))
@options.json_flag
@pass_session
def path(session: CommandSession, what: str | None, as_json: bool) -> None:
    """Show where everything is, or one place alone."""
    found = places(session.settings())
    if what is not None:
        found = {what: found[what]}
    if as_json:
        output.say_json({name: str(place) for name, place in found.items()})
    elif what is not None:
        output.say(output.name(str(found[what])))
    else:
        output.say_rows((name, str(place)) for name, place in found.items())


def places(chosen: Settings) -> dict[str, Path]:
    """The files and folders of the vault by name; ``data`` is the one to back up, ``cache`` can be deleted."""
    folders, vault = chosen.folders, chosen.vault
    return {
        "config": config_file(folders),
        "data": vault.data,
        "journal": vault.data / "journal",
        "cache": vault.cache,
        "index": vault.cache / "index.sqlite",
        "state": Path(folders.state),
        "token": Path(folders.state, TOKEN),
        "runtime": Path(folders.runtime),
    }
