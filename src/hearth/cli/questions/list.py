"""``hearth list`` and ``timeline``: documents of a vault, and those written around one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.document import STATUSES
from hearth.core.validity import Validity
from hearth.operations.documents import Around
from hearth.operations.search import Search
from hearth.ports import Filter, StoredDocument
from hearth.vault.documents import Moment, why_empty

# What is never dated or accessed comes last.
_ORDERS: dict[str, Callable[[StoredDocument], Any]] = {
    "path": lambda stored: (stored.document.collection, stored.document.path),
    "dated": lambda stored: stored.document.newest_first,
    "accessed": lambda stored: (-(stored.state.last_accessed_at or 0), stored.document.path),
}


@click.command()
@taking(Search, "collections=collection/c types=type tags=tag paths=path")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Only decisions with this status."
)
@click.option(
    "--sort",
    type=click.Choice([*_ORDERS]),
    default="path",
    show_default=True,
    help="Sort by date or last access, newest first.",
)
@click.option("-n", "--limit", type=click.IntRange(min=1), help="At most this many; else all.")
@options.include
@options.json_flag
@pass_session
def list_documents(
    session: CommandSession, sort: str, limit: int | None, as_json: bool, **given: tuple[str, ...]
) -> None:
    """List the documents: docid, date, type, path, title."""
    with session.fresh_vault() as vault:
        names = options.known(given["collections"], [c.name for c in vault.collections], "collection")
        types = options.content_types(given["types"])
        within = Filter(collections=names, types=types, include=(*given["include"], "pending"))
        found = vault.documents(replace(within, tags=given["tags"], paths=given["paths"], statuses=given["statuses"]))
        now, status = vault.clock(), None if found else vault.status()
    found = sorted(found, key=_ORDERS[sort])[:limit]
    if as_json:
        output.say_json({"documents": [_row(stored, now) for stored in found]})
        return
    output.say_rows(_line(stored, now) for stored in found)
    if status is not None:
        output.note("no document matches" if status.documents else output.line(why_empty(status.skipped)))


def _line(stored: StoredDocument, now: int) -> tuple[str, ...]:
    document = stored.document
    validity = Validity.of(document, stored.state, now)
    words = ", ".join(filter(None, (validity.words, validity.standing)))
    title = f"{output.line(document.title)}  ({words})" if words else output.line(document.title)
    place = f"{document.collection}/{document.path}"
    return (
        document.docid,
        document.period or instants.show_date_or_none(document.dated_at),
        document.content_type,
        place,
        title,
    )


def _row(stored: StoredDocument, now: int) -> dict[str, Any]:
    state = stored.state
    validity = Validity.of(stored.document, state, now)
    return (
        stored.document.to_dict()
        | validity.to_dict()
        | {"accesses": state.access_count, "last_accessed_at": state.last_accessed_at}
    )


@click.command()
@taking(Around, ".reference=ref before after same_collection as_of")
@options.json_flag
@pass_session
def timeline(session: CommandSession, reference: str, as_of: str | None, as_json: bool, **given: Any) -> None:
    """Show what was written around a document, oldest first."""
    with session.fresh_vault() as vault:
        now, zone = vault.clock(), vault.zone
        at = None if as_of is None else options.parse_instant(as_of, "--as-of", now, zone, end=True) - 1
        found = vault.timeline(reference, as_of=at, **given)
    if as_json:
        output.say_json({"documents": [_timeline_row(moment, now) for moment in found]})
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


def _timeline_row(moment: Moment, now: int) -> dict[str, Any]:
    validity = Validity.of(moment.stored.document, moment.stored.state, now)
    return moment.stored.document.to_dict() | validity.to_dict() | moment.links
