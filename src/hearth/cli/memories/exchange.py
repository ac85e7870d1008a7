"""``hearth export``, and an export taken in: everything that a vault knows, as lines of JSON."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from hearth.cli import output
from hearth.cli.output import note, plural
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import NotFound, Unavailable
from hearth.core.files import open_private, sync_folder

if TYPE_CHECKING:
    from hearth.vault.exchange import Imported


@click.command("export")
@click.option("-o", "--output", "target", metavar="FILE", help="Write to this file, which must not exist yet.")
@click.option("--no-files", is_flag=True, help="Leave out the text of your own files.")
@pass_session
def export(session: CommandSession, target: str | None, no_files: bool) -> None:
    """Print everything the vault knows: memories, the journal and your files, without secrets."""
    session.kept = "the file is not a complete export"
    with session.fresh_vault() as vault:
        lines = vault.exchange.export(files=not no_files)
        if target is None:
            for line in lines:
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            return
        try:
            with open(target, "xb", opener=open_private) as file:
                count = sum(1 for line in lines if file.write(line))
                file.flush()
                os.fsync(file.fileno())
            sync_folder(Path(target).absolute().parent)
        except FileExistsError:
            raise Unavailable(f"{target} already exists; name another file") from None
        except OSError as error:
            raise Unavailable(f"can't write {target}: {error.strerror}; name another place") from error
    note(f"{plural(count, 'line')} in {target}")


def take_in(session: CommandSession, source: str, files_to: str | None, *, as_json: bool) -> None:
    """An export; people's files go below ``files_to``. Of ``-`` it is read from standard input."""
    session.kept = "imported items are kept; run it again for the rest"
    if files_to is not None and not Path(files_to).is_dir():
        raise NotFound(f"no folder {files_to}; create it first")
    with _open(source) as file, session.vault() as vault:
        done = vault.exchange.import_(file, files_to=None if files_to is None else str(Path(files_to).resolve()))
        session.catch_up(vault)
    if as_json:
        output.say_json(done.to_dict())
    else:
        _say(done)
        if files_to is not None and done.files:
            folder = shlex.quote(files_to.rstrip("/"))
            output.note(f"next, for each folder NAME in it: hearth collection add {folder}/NAME --name NAME")


def _open(source: str) -> BinaryIO:
    """A file that can be read twice."""
    if source == "-":
        spooled = tempfile.TemporaryFile()  # noqa: SIM115 (closed by who asked)
        shutil.copyfileobj(sys.stdin.buffer, spooled)
        spooled.seek(0)
        return spooled
    try:
        return Path(source).open("rb")
    except FileNotFoundError:
        raise NotFound(f"no file {source}") from None
    except OSError as error:
        raise Unavailable(f"can't read {source}: {error.strerror}") from error


def _say(done: Imported) -> None:
    new = f"{output.plural(done.memories, 'memory file')}, {output.plural(done.files, 'file')}"
    output.say(f"taken in: {new}, {output.plural(done.events, 'event')}")
    if done.unchanged:
        output.say(f"there already: {output.plural(done.unchanged, 'file')}")
    if done.left:
        output.say(f"left out: {output.plural(done.left, 'file')} of people; name a folder with --files-to")
    for problem in done.problems:
        output.warn(output.line(problem))
    if done.skipped + done.kept > len(done.problems):
        output.warn(f"and {done.skipped + done.kept - len(done.problems):,} more")
