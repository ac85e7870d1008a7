"""``hearth timeline``: what was written around a document."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import moments, options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.documents.related import Moment
from hearth.model import instants
from hearth.model.validity import Validity

_NEIGHBOURS = click.IntRange(0, 1_000)


@click.command()
@click.argument("reference", metavar="REF")
@click.option("--before", type=_NEIGHBOURS, default=5, show_default=True, help="At most this many older documents.")
@click.option("--after", type=_NEIGHBOURS, default=5, show_default=True, help="At most this many newer documents.")
@click.option("--same-collection", is_flag=True, help="Only from the document's own collection.")
@click.option("--as-of", metavar="WHEN", help="Only what was true then, replaced or not.")
@options.json_flag
@pass_session
def timeline(session: CommandSession, reference: str, as_of: str | None, as_json: bool, **given: Any) -> None:
    """Show what was written around a document, oldest first."""
    with session.fresh_vault() as vault:
        now, zone = vault.clock(), vault.zone
        at = None if as_of is None else moments.parse(as_of, "--as-of", now, zone, end=True) - 1
        found = vault.timeline(reference, as_of=at, **given)
    if as_json:
        output.say_json({"documents": [_row(moment, now) for moment in found]})
        return
    for moment in found:
        document = moment.stored.document
        mark = ">" if moment.focus else " "
        dated = instants.show_date_or_none(document.dated_at)
        place = output.name(f"{document.collection}/{document.path}")
        said = f", conversation #{moment.conversation}" if moment.conversation else ""
        session_note = f"  (session {output.line(moment.session)}{said})" if moment.session else ""
        words = Validity.of(document, moment.stored.state, now).words
        validity = f"  ({words})" if words else ""
        output.say(f"{mark} {dated:10}  {place}  {output.line(document.title)}{validity}{session_note}")


def _row(moment: Moment, now: int) -> dict[str, Any]:
    validity = Validity.of(moment.stored.document, moment.stored.state, now)
    return moment.stored.document.to_dict() | validity.to_dict() | moment.links
