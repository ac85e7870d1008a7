"""``hearth list``: the documents of a vault."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.model import instants
from hearth.ports import Filter


@click.command()
@click.option("-c", "--collection", "collections", multiple=True, metavar="NAME", help="Only of this collection.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only this type of document.")
@click.option("-n", "--limit", type=click.IntRange(min=1), help="At most this many; else all.")
@options.json_flag
@pass_session
def list_documents(
    session: CommandSession, collections: tuple[str, ...], types: tuple[str, ...], limit: int | None, as_json: bool
) -> None:
    """List the documents: docid, date, type, path, title."""
    with session.fresh_vault() as vault:
        names = options.known(collections, [c.name for c in vault.collections], "collection")
        found = vault.documents(Filter(collections=names, types=options.content_types(types)), limit)
    documents = [stored.document for stored in found]
    if as_json:
        output.say_json({"documents": [document.to_dict() for document in documents]})
        return
    output.say_rows(
        (
            d.docid,
            instants.show_date_or_none(d.dated_at),
            d.content_type,
            f"{d.collection}/{d.path}",
            output.line(d.title),
        )
        for d in documents
    )
    if not documents:
        output.note("no documents; add a folder of notes with: hearth bootstrap PATH")
