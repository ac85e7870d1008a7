"""``hearth get`` and ``multi-get``: the text of documents."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.session import CommandSession, is_terminal, pass_session
from hearth.core.document import UNTOUCHED
from hearth.core.errors import HearthError, UsageError
from hearth.core.validity import Validity
from hearth.memory.state.reviews import Doubts
from hearth.operations.documents import Listing
from hearth.vault.documents import Passage, backlinks

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
    or hearth://collection/path#L3-L9. Documents that link to it are named on standard error."""
    if raw and not is_terminal():
        raise UsageError("--raw shows secrets and works on a terminal only; leave it out here")
    with session.fresh_vault() as vault:
        passage = vault.get(reference, raw=raw)
        with vault.store.read() as reader:
            linking = [f"{one.collection}/{one.path}" for one in backlinks(passage.document.docid, reader)]
            stored = reader.document(passage.document.docid)
            state = UNTOUCHED if stored is None else stored.state
            doubts = Doubts(reader, vault.clock()).find([passage.document.docid])
        validity = replace(
            Validity.of(passage.document, state, vault.clock()), doubts=doubts.get(passage.document.docid, ())
        )
        # A journal that can't be written keeps nobody from reading.
        with suppress(HearthError, OSError):
            vault.usage.opened(passage.document.docid, (passage.start_line, passage.end_line))
    if as_json:
        output.say_json(row(passage) | validity.to_dict() | {"backlinks": linking})
        return
    say_text(passage.text)
    if validity.standing:
        output.note(f"{validity.standing}; hearth history {passage.document.docid} says more")
    if validity.hidden:
        pending = validity.hidden == ("pending",)
        more = (
            "hearth review approves or rejects it" if pending else f"hearth history {passage.document.docid} says more"
        )
        output.note(f"{validity.label()}; {more}")
    if validity.doubt:
        output.note(f"{validity.doubt}; hearth review settles it")
    if linking:
        more = f" and {len(linking) - _SHOWN:,} more" if len(linking) > _SHOWN else ""
        output.note(f"linked from: {', '.join(map(output.name, linking[:_SHOWN]))}{more}")


def row(passage: Passage) -> dict[str, Any]:
    document = passage.document
    period = {"period": document.period} if document.period else {}
    return period | {
        "docid": document.docid,
        "collection": document.collection,
        "path": document.path,
        "title": document.title,
        "content_type": document.content_type,
        "start_line": passage.start_line,
        "end_line": passage.end_line,
        "total_lines": passage.total_lines,
        "text": passage.text,
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
        passages, skipped = vault.multi_get(pattern, max_bytes=max_bytes)
    if as_json:
        left = [{"collection": s.collection, "path": s.path, "reason": _option(s.reason)} for s in skipped]
        output.say_json({"documents": [row(passage) for passage in passages], "skipped": left})
        return
    for passage in passages:
        output.say(f"==> {output.name(f'{passage.document.collection}/{passage.document.path}')} <==")
        say_text(passage.text)
        output.say()
    for file in skipped:
        output.warn(f"skipped {file.collection}/{output.name(file.path)}: {_option(file.reason)}")


def _option(reason: str) -> str:
    return reason.replace("max_bytes", "--max-bytes")
