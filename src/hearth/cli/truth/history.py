"""``hearth history``: what a document replaced, and what replaced it."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.truth.chain import Chain, Version


@click.command()
@click.argument("words", metavar="REF", nargs=-1, required=True)
@options.json_flag
@pass_session
def history(session: CommandSession, words: tuple[str, ...], as_json: bool) -> None:
    """Show what a document replaced and what replaced it, the oldest first, with reasons."""
    with session.fresh_vault() as vault:
        found = vault.truth.chain(" ".join(words))
    if as_json:
        output.say_json(found.to_dict())
        return
    for version in found.versions:
        _say(found, version)
    for edge in found.edges:
        why = edge.about.get("why")
        output.say(f"  {edge.kind} {output.name(edge.other)}{f': {output.line(str(why))}' if why else ''}")
    if len(found.versions) == 1 and not found.edges:
        output.note("it replaced nothing, and nothing replaced it")


def _say(chain: Chain, version: Version) -> None:
    document, validity = version.stored.document, version.validity
    since = chain.show(validity.valid_from)
    until = "now" if validity.valid_to is None and not validity.hidden else chain.show(validity.valid_to)
    place = output.name(f"{document.collection}/{document.path}")
    said = ", ".join((*validity.hidden, *([validity.status] if validity.status else ())))
    hidden = f"  {said}" if said else ""
    output.say(f"{'>' if version.focus else ' '} {since} to {until}  {place} #{document.docid}{hidden}")
    if version.said:
        output.say(f"    {output.line(version.said)}")
    if validity.superseded_by is not None:
        by = f" (by {output.name(str(version.why['actor']))})" if version.why.get("actor") else ""
        reason = f": {output.line(str(version.why['reason']))}" if version.why.get("reason") else ""
        output.say(f"    gave way to #{validity.superseded_by}{reason}{by}")
