"""``hearth import``: an export of ours, or what another program remembers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from hearth.app.imports import take_in, undo
from hearth.cli import options, output
from hearth.cli.memories import exchange
from hearth.cli.session import CommandSession, note_stop, pass_session
from hearth.core.errors import NotFound, UsageError
from hearth.core.paths import home
from hearth.importers import records
from hearth.importers.records import KINDS, Folder, Format, Options
from hearth.importers.runs import ImportReport, describe
from hearth.memory.undo import UndoneRun
from hearth.vault.exchange import HEAD
from hearth.vault.vault import Vault

_HEAD_BYTES = 4096
_HEARTH = "hearth"


@click.command("import")
@click.argument("source")
@click.option(
    "--from", "kind", metavar="KIND", help=f"The kind of source [default: by its content]: {', '.join(KINDS)}."
)
@click.option("--copy", "copies", is_flag=True, help="Copy an agent's workspace into the vault, byte for byte.")
@click.option("--dry-run", is_flag=True, help="Only report what would be taken in.")
@click.option("--files-to", metavar="FOLDER", help="Where to put people's files from an export.")
@options.json_flag
@pass_session
def import_(session: CommandSession, source: str, kind: str | None, as_json: bool, **given: Any) -> None:
    """Take in what another program remembers, or an export of Hearth.

    SOURCE is only read. Markdown stays where it is and becomes a collection; the rest becomes files below
    memory/imported. Running it again takes in only what is new."""
    files_to, flags = given.pop("files_to"), given
    if kind == _HEARTH or (kind is None and _is_export(source)):
        if any(flags.values()):
            raise UsageError("an export of Hearth is taken in as a whole; leave out --dry-run and --copy")
        exchange.take_in(session, source, files_to, as_json=as_json)
        return
    if files_to is not None:
        raise UsageError("--files-to is for an export of Hearth")
    chosen = session.settings()
    place = _locate(source)
    form = records.find_format(place, kind)
    found = list(form.read(place, Options(chosen.environ, Path(home(chosen.environ)), chosen.loaded.zone)))
    if flags["copies"] and not any(isinstance(one, Folder) and one.is_copied for one in found):
        raise UsageError(f"{place} stays where it is; --copy is for the workspace of an agent")
    session.kept = "what was taken in so far is kept; run it again for the rest"
    open_vault = session.vault if flags["dry_run"] else partial(_open_vault, session)
    report, is_stopped = take_in(chosen, open_vault, (form, found), note_stop, **flags)
    if as_json:
        output.say_json({"kind": form.name} | report.to_dict())
    else:
        _say(form, place, report)
    if is_stopped:
        raise KeyboardInterrupt


def _say(form: Format, place: Path, report: ImportReport) -> None:
    output.say(f"{form.title}: {place}")
    for line in describe(report, "record"):
        output.say(line)
    for problem in report.problems:
        output.warn(output.line(problem))


@contextmanager
def _open_vault(session: CommandSession) -> Iterator[Vault]:
    with session.vault() as vault:
        yield vault
        session.catch_up(vault)


def undo_import(session: CommandSession, run: str, metadata: dict[str, Any]) -> UndoneRun:
    """Raises ``NotFound`` where nothing is left of the run."""
    return undo(session.settings(), session.vault, session.fresh_vault, run, metadata)


def _locate(source: str) -> Path:
    if records.find_service(source) is not None:
        return Path(source)
    place = Path(source).expanduser().absolute()
    if not place.exists():
        raise NotFound(f"no file or folder {source}")
    if not place.is_file() and not place.is_dir():
        raise UsageError(f"{source} is neither a file nor a folder; save what it holds in a file first")
    return place


def _is_export(source: str) -> bool:
    if source == "-":
        return True
    try:
        if not Path(source).is_file():  # a pipe would block, and its start can't be read twice
            return False
        with Path(source).open("rb") as file:
            return f'"{HEAD}"'.encode() in file.read(_HEAD_BYTES).split(b"\n", 1)[0]
    except OSError:
        return False
