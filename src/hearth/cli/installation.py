"""``hearth config`` and ``path``: settings, and where everything is."""

from __future__ import annotations

from pathlib import Path

import click

from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.config import config_file, edit, get, load, rows
from hearth.config.load import render_example
from hearth.core import paths
from hearth.disk.state_files import TOKEN


@click.group(no_args_is_help=True)
def config() -> None:
    """Show and change settings."""


@config.command("show")
@options.json_flag
@pass_session
def show(session: CommandSession, as_json: bool) -> None:
    """Show every value and where it comes from."""
    found = rows(session.settings().loaded)
    if as_json:
        output.say_json([{"key": key, "value": value, "origin": origin} for key, value, origin in found])
    else:
        output.say_rows(found)


@config.command("path")
def config_path() -> None:
    """Print the path of the configuration file."""
    output.say(output.name(str(config_file(paths.folders()))))


@config.command("get")
@click.argument("key")
@options.json_flag
@pass_session
def get_key(session: CommandSession, key: str, as_json: bool) -> None:
    """Print the value of a key, or of a whole section."""
    value = get(session.settings().loaded, key)
    if as_json or not isinstance(value, str):
        output.say_json(value)
    else:
        output.say(output.clean(value))


@config.command("unset")
@click.argument("key")
def unset_key(key: str) -> None:
    """Remove a key from the file, so that its default applies; comments and order stay."""
    folders = paths.folders()
    edit.unset_value(folders, key)
    output.say(f"{key} is no longer set in {config_file(folders)}")


@config.command("set")
@click.argument("key")
@click.argument("value")
def set_key(key: str, value: str) -> None:
    """Change one key; comments and order stay."""
    folders = paths.folders()
    edit.set_value(folders, key, value)
    origin = load(folders).origins.get(key, "")
    if origin and not origin.startswith(config_file(folders).name):
        output.warn(f"{origin} overrides the file, so the change has no effect now")
    output.say(f"{key} set in {config_file(folders)}")


@config.command("env")
@click.option("--example", is_flag=True, help="Print a .env with every setting, commented out, with its default.")
@pass_session
def environment(session: CommandSession, example: bool) -> None:
    """Show which settings come from variables; --example prints a .env to start from."""
    if example:
        output.say(render_example().rstrip("\n"))
        return
    found = rows(session.settings().loaded)
    given = [(key, value, origin) for key, value, origin in found if "HEARTH_" in origin or ".env" in origin]
    if given:
        output.say_rows(given)
    else:
        output.note("no setting comes from a variable; hearth config env --example shows which there are")


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
