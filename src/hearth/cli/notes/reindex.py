"""``hearth reindex``: a new index beside the old one, swapped in when it is complete."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.notes import changes
from hearth.cli.progress import Progress
from hearth.cli.session import CommandSession, pass_session


@click.command()
@click.option("--force", is_flag=True, help="Also where folders are missing or the old index can't be read.")
@options.json_flag
@pass_session
def reindex(session: CommandSession, force: bool, as_json: bool) -> None:
    """Build the index anew from the files and the journal.

    Questions are answered from the old index until the new one is complete."""
    session.kept = "the old index is as it was"
    with session.vault() as vault, Progress(session, "reindexing") as progress:
        report = vault.index.reindex(force=force, progress=progress)
    if as_json:
        output.say_json(report.to_dict())
        return
    output.say(report.said())
    changes.warnings(report)
