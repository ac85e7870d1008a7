"""``hearth get``, ``multi-get``, ``list`` and ``timeline``: documents, their text, and those around one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.session import CommandSession, is_terminal, pass_session
from hearth.core import instants
from hearth.core.document import STATUSES, UNTOUCHED
from hearth.core.errors import HearthError, UsageError
from hearth.core.judgement import Validity
from hearth.memory.reviews import Doubts
from hearth.operations.documents import Around, Listing
from hearth.operations.search import Search
from hearth.ports import Filter, StoredDocument
from hearth.recall.hits import Moment
from hearth.vault.documents import Excerpt, backlinks, why_empty

# Of those that link to a document; --json has all.
_SHOWN = 10


@click.command()
@click.argument("reference", metavar="REF[:FROM[:COUNT]]")
@click.option("--raw", is_flag=True, help="Show secrets unredacted; on a terminal only.")
@options.json_flag
@pass_session
def get(session: CommandSession, reference: str, raw: bool, as_json: bool) -> None:
    """Print a document or some of its lines.

    REF is a docid, collection/path, a path, the end of a path, a title or alias, [[a link#with a heading or ^block]],
    or hearth://collection/path#L3-L9; session:NAME#ID is a message of a session held here. Documents that link to it
    are named on standard error."""
    if raw and not is_terminal():
        raise UsageError("--raw shows secrets and works on a terminal only; leave it out here")
    with session.fresh_vault() as vault:
        excerpt = vault.get(reference, raw=raw)
        with vault.store.read() as reader:
            linking = [f"{one.collection}/{one.path}" for one in backlinks(excerpt.document.docid, reader)]
            stored = reader.document(excerpt.document.docid)
            state = UNTOUCHED if stored is None else stored.state
            doubts = Doubts(reader, vault.clock()).find([excerpt.document.docid])
        validity = replace(
            Validity.of(excerpt.document, state, vault.clock()), doubts=doubts.get(excerpt.document.docid, ())
        )
        # A journal that can't be written keeps nobody from reading.
        with suppress(HearthError, OSError):
            if stored is not None:
                vault.usage.opened(excerpt.document.docid, (excerpt.start_line, excerpt.end_line))
    if as_json:
        output.say_json(row(excerpt) | validity.to_dict() | {"backlinks": linking})
        return
    say_text(excerpt.text)
    if validity.standing:
        output.note(f"{validity.standing}; hearth history {excerpt.document.docid} says more")
    if validity.hidden:
        pending = validity.hidden == ("pending",)
        more = (
            "hearth review approves or rejects it" if pending else f"hearth history {excerpt.document.docid} says more"
        )
        output.note(f"{validity.label()}; {more}")
    if validity.doubt:
        output.note(f"{validity.doubt}; hearth review settles it")
    if linking:
        more = f" and {len(linking) - _SHOWN:,} more" if len(linking) > _SHOWN else ""
        output.note(f"linked from: {', '.join(map(output.name, linking[:_SHOWN]))}{more}")


def row(excerpt: Excerpt) -> dict[str, Any]:
    document = excerpt.document
    period = {"period": document.period} if document.period else {}
    return period | {
        "docid": document.docid,
        "collection": document.collection,
        "path": document.path,
        "title": document.title,
        "content_type": document.content_type,
        "start_line": excerpt.start_line,
        "end_line": excerpt.end_line,
        "total_lines": excerpt.total_lines,
        "text": excerpt.text,
    }


def say_text(text: str) -> None:
    """As it is for a file or a pipe, and harmless on a terminal."""
    output.say(output.clean(text) if is_terminal() else output.faithful(text))


@click.command()
@taking(Listing, ".pattern max_bytes")
@options.json_flag
@pass_session
def multi_get(session: CommandSession, pattern: str, max_bytes: int, as_json: bool) -> None:
    """Print several documents.

    PATTERN is a glob over collection/path, or references between commas."""
    with session.fresh_vault() as vault:
        excerpts, skipped = vault.multi_get(pattern, max_bytes=max_bytes)
    if as_json:
        left = [{"collection": s.collection, "path": s.path, "reason": _option(s.reason)} for s in skipped]
        output.say_json({"documents": [row(excerpt) for excerpt in excerpts], "skipped": left})
        return
    for excerpt in excerpts:
        output.say(f"==> {output.name(f'{excerpt.document.place}')} <==")
        say_text(excerpt.text)
        output.say()
    for file in skipped:
        output.warn(f"skipped {file.collection}/{output.name(file.path)}: {_option(file.reason)}")


def _option(reason: str) -> str:
    return reason.replace("max_bytes", "--max-bytes")


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
        names = options.check_names(given["collections"], [c.name for c in vault.collections], "collection")
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
    place = document.place
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
        place = output.name(document.place)
        suffix = f", conversation #{moment.conversation}" if moment.conversation else ""
        session_note = f"  (session {output.line(moment.session)}{suffix})" if moment.session else ""
        words = Validity.of(document, moment.stored.state, now).words
        validity = f"  ({words})" if words else ""
        output.say(f"{mark} {dated:10}  {place}  {output.line(document.title)}{validity}{session_note}")


def _timeline_row(moment: Moment, now: int) -> dict[str, Any]:
    validity = Validity.of(moment.stored.document, moment.stored.state, now)
    return moment.stored.document.to_dict() | validity.to_dict() | moment.links
