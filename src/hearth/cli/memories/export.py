"""``hearth export``: everything that a vault knows, as lines of JSON."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from hearth.cli.output import note, plural
from hearth.cli.session import CommandSession, pass_session
from hearth.errors import Unavailable
from hearth.files import open_private, sync_folder


@click.command("export")
@click.option("-o", "--output", "target", metavar="FILE", help="Write to this file, which must not be there yet.")
@click.option("--no-files", is_flag=True, help="Leave the texts of your own files out.")
@pass_session
def export(session: CommandSession, target: str | None, no_files: bool) -> None:
    """Print everything that the vault knows: memories, the journal, and your files. Secrets are taken out."""
    session.kept = "what was written is not a whole export"
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
            raise Unavailable(f"{target} is there already; name another file") from None
        except OSError as error:
            raise Unavailable(f"can't write {target}: {error.strerror}; name another place") from error
    note(f"{plural(count, 'line')} in {target}")
