"""``hearth beads``: connect repositories and read their issues."""

from __future__ import annotations

from pathlib import Path

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import Unavailable
from hearth.operations.beads import Synced, Syncing, render_synced

_FOLDER = click.argument("folder", required=False, default=".", metavar="[DIR]")


@click.group(no_args_is_help=True)
def beads() -> None:
    """Keep the issues of Beads in memory: connect repositories, sync, list and remove them.

    Hearth runs bd only in a repository that you connected, and only the program found then."""


@beads.command("add")
@_FOLDER
@options.json_flag
@pass_session
def add(session: CommandSession, folder: str, as_json: bool) -> None:
    """Connect a repository: trust it on this machine, and read its issues."""
    with session.fresh_vault() as vault:
        report = vault.beads.add(_absolute(folder))
    _say(Synced([report]), as_json=as_json)
    if not as_json:
        output.note(f"read by {report.reader}; changes are read within seconds while the daemon runs")


@beads.command("sync")
@click.argument("folder", required=False, default=None, metavar="[DIR]")
@click.option("--force", is_flag=True, help="Archive issues even if most are gone at once.")
@options.json_flag
@pass_session
def sync(session: CommandSession, folder: str | None, force: bool, as_json: bool) -> None:
    """Read the issues of all connected repositories, or of one."""
    with session.fresh_vault() as vault:
        reports = vault.beads.sync(None if folder is None else _absolute(folder), force=force)
    _say(Synced(reports), as_json=as_json)
    if any(report.problem is not None for report in reports):
        raise Unavailable("some issues were not read; see above")


@beads.command("list")
@options.json_flag
@pass_session
def show(session: CommandSession, as_json: bool) -> None:
    """List the connected repositories, with how many issues they have."""
    with session.fresh_vault() as vault:
        found = vault.beads.show()
    if as_json:
        rows = [
            {"repository": one.root, "name": one.name, "project": one.key, "reader": one.reader, "documents": count}
            | {"open": still}
            for one, count, still in found
        ]
        output.say_json({"repositories": rows})
    elif found:
        output.say_rows(
            (one.root, output.plural(count, "document"), f"{still:,} open", one.reader) for one, count, still in found
        )
    else:
        output.note("no repository is connected; hearth beads add DIR connects one")


@beads.command("remove")
@_FOLDER
@options.json_flag
@pass_session
def remove(session: CommandSession, folder: str, as_json: bool) -> None:
    """Disconnect a repository and archive the documents of its issues."""
    with session.fresh_vault() as vault:
        report = vault.beads.remove(_absolute(folder))
    _say(Synced([report]), as_json=as_json)


def _absolute(folder: str) -> str:
    return str(Path(folder).expanduser().resolve())


def _say(result: Synced, *, as_json: bool) -> None:
    if as_json:
        output.say_json(result.to_dict())
    else:
        output.say(output.clean(render_synced(result, Syncing())))
