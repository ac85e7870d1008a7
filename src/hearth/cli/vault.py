"""``hearth vault``: the vaults there are, each with memories and collections of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hearth.app.folders import relocate
from hearth.app.settings import former
from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.config import VaultConfig, edit, vault, vault_names
from hearth.config.schema import check_name
from hearth.core.errors import Conflict, UsageError
from hearth.core.files import make_folder
from hearth.daemon.address import address
from hearth.daemon.client import end


@click.group("vault", no_args_is_help=True)
def vault_group() -> None:
    """List, create and move vaults: each has its own memories and folders of notes."""


@vault_group.command("list")
@options.json_flag
@pass_session
def list_vaults(session: CommandSession, as_json: bool) -> None:
    """List the vaults: name, folder of its memories, collections."""
    chosen = session.settings()
    config = chosen.loaded.config
    found = [vault(config, chosen.folders, name) for name in vault_names(config)]
    if as_json:
        output.say_json({"vaults": [_row(one) for one in found]})
        return
    output.say_rows((one.name, str(one.data), ", ".join(one.collections) or "no collections") for one in found)


@vault_group.command("add")
@click.argument("name")
@click.option("--data", metavar="FOLDER", help="Folder for its memories [default: beside the other vaults].")
@click.option("--root", "roots", multiple=True, metavar="FOLDER", help="Projects below it use this vault.")
@options.json_flag
@pass_session
def add(session: CommandSession, name: str, data: str | None, roots: tuple[str, ...], as_json: bool) -> None:
    """Create a vault."""
    chosen = session.settings()
    check_name(name, "vaults", "vault")
    if name in vault_names(chosen.loaded.config):
        raise Conflict(f"there is a vault {name!r} already; see: hearth vault list")
    folder = _absolute(data) if data else Path(chosen.folders.data, name)
    make_folder(folder)
    edit.set_value(chosen.folders, f"vaults.{name}.data", str(folder))
    if roots:
        edit.set_value(chosen.folders, f"vaults.{name}.roots", [str(_absolute(root)) for root in roots])
    if as_json:
        output.say_json({"name": name, "data": str(folder)})
        return
    output.say(f"vault {name} made in {folder}")
    output.say(f"next: hearth --vault {name} bootstrap PATH")


@vault_group.command("move")
@click.argument("name")
@click.argument("folder")
@options.json_flag
@pass_session
def move(session: CommandSession, name: str, folder: str, as_json: bool) -> None:
    """Move a vault's memories and journal to another folder.

    Folders of notes stay where they are. If it is interrupted, run it again to continue."""
    chosen = session.settings()
    new = _absolute(folder)
    _end_daemon(chosen.environ)
    old = relocate(chosen, vault(chosen.loaded.config, chosen.folders, name), new)
    if as_json:
        output.say_json({"name": name, "data": str(new), "former": str(old)})
        return
    output.say(f"vault {name} is in {new} now")
    if former(old).is_dir():
        output.say(f"the old folder was kept; once everything works: rm -r {former(old)}")


def _row(one: VaultConfig) -> dict[str, Any]:
    roots = [str(root) for root in one.roots]
    return {"name": one.name, "data": str(one.data), "roots": roots, "collections": [*one.collections]}


def _end_daemon(environ: Mapping[str, str]) -> None:
    """It has the journal open; the next hook starts another."""
    end(address(environ))


def _absolute(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path[:80]!r} can't be a folder: {error}") from error
