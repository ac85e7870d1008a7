"""``hearth watch``: the index follows the folders until somebody stops it."""

from __future__ import annotations

import sys
import time

import click

from hearth.cli import output
from hearth.cli.notes import changes
from hearth.cli.session import CommandSession, pass_session
from hearth.daemon.watching import due
from hearth.engine.vault import Vault
from hearth.errors import HearthError, NotFound
from hearth.model import instants


@click.command()
@pass_session
def watch(session: CommandSession) -> None:
    """Keep the index up to date until stopped.

    Prints a line for each change. Settings are read at the start."""
    chosen = session.settings()
    if not chosen.vault.collections:
        raise NotFound("no collections to watch; add one with: hearth bootstrap PATH")
    debounce = int(chosen.loaded.config.daemon.debounce_seconds * 1000)
    with session.vault() as vault:
        roots = [collection.root for collection in vault.collections]
        try:
            _sync(vault, first=True)
            for number, _ in enumerate(due(roots, debounce, output.warn)):
                if number == 0:
                    folders = output.plural(len(chosen.vault.collections), "folder")
                    output.note(f"watching {folders} and the memories; stop with Ctrl-C")
                _sync(vault, first=False)
        except KeyboardInterrupt:
            output.note("stopped")


def _sync(vault: Vault, *, first: bool) -> None:
    """What fails now may work at the next look, so it is a warning."""
    try:
        report = vault.index.sync()
    except (HearthError, OSError) as error:
        output.warn(str(error))
        return
    if report.touched or report.moved or first:
        output.say(f"{instants.show(time.time_ns() // 1_000_000)} {report.said()}")
        changes.warnings(report)
        sys.stdout.flush()
