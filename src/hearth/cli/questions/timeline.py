"""``hearth timeline``: what was written around a document."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.model import instants

_NEIGHBOURS = click.IntRange(0, 1_000)


@click.command()
@click.argument("reference", metavar="REF")
@click.option("--before", type=_NEIGHBOURS, default=5, show_default=True, help="At most this many older documents.")
@click.option("--after", type=_NEIGHBOURS, default=5, show_default=True, help="At most this many newer documents.")
@click.option("--same-collection", is_flag=True, help="Only from the document's own collection.")
@options.json_flag
@pass_session
def timeline(
    session: CommandSession, reference: str, before: int, after: int, same_collection: bool, as_json: bool
) -> None:
    """Show what was written around a document, oldest first."""
    with session.fresh_vault() as vault:
        found = vault.timeline(reference, before=before, after=after, same_collection=same_collection)
    if as_json:
        output.say_json(
            {"documents": [m.stored.document.to_dict() | {"focus": m.focus, "session": m.session} for m in found]}
        )
        return
    for moment in found:
        document = moment.stored.document
        mark = ">" if moment.focus else " "
        dated = instants.show_date_or_none(document.dated_at)
        place = output.name(f"{document.collection}/{document.path}")
        session_note = f"  (session {output.line(moment.session)})" if moment.session else ""
        output.say(f"{mark} {dated:10}  {place}  {output.line(document.title)}{session_note}")
