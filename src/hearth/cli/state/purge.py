"""``hearth purge``: a document erased for good."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change

_DONE = {
    "memory": "purged",
    "file": "purged and deleted",
    "index": "purged from the index, the file is still there:",
}


@click.command()
@click.argument("reference", metavar="REF")
@click.option("--yes", is_flag=True, help="Do it; without this, only say what would go.")
@click.option("--file", is_flag=True, help="Of a note that you wrote, delete the file too.")
@change.remarks
@pass_session
def purge(session: CommandSession, reference: str, yes: bool, file: bool, as_json: bool, **said: Any) -> None:
    """Erase a document for good: its memory file, former texts, fragments, vectors and cached scores.

    REF has to name it. This can't be undone."""
    with session.fresh_vault() as vault:
        done = vault.state.purge(reference, yes=yes, file=file, **change.signed(said))
    if as_json:
        output.say_json(done.to_dict())
        return
    output.say(f"{_DONE[done.scope]} {output.name(f'{done.collection}/{done.path}')} #{done.docid}")
    for path in done.erased:
        output.say(f"erased {output.name(path)}")
    for place in done.left:
        output.note(f"may still hold it: {output.line(place)}")
    if done.pending is not None:
        output.warn(f"not all is erased yet ({done.pending}); run: hearth update")
