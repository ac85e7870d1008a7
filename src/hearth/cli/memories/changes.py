"""Commands that change a document's state: pin, snooze, forget, relate, purge, undo and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import remarks, signed, taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.core.journal import Changed
from hearth.graph.graph import STATABLE
from hearth.memory.undo import NIGHT, UndoneRun
from hearth.operations.relations import Relating
from hearth.operations.state import Snooze, Supersede, Target
from hearth.vault.history import list_forgotten

_REFERENCE = taking(Target, "*reference=ref@words")


def changing(name: str, text: str, *more: Callable[[Any], Any]) -> click.Command:
    """The command for the call ``name`` of ``vault.state``; ``more`` are options of its own, passed on by name."""

    def command(session: CommandSession, words: tuple[str, ...], as_json: bool, **given: Any) -> None:
        with session.fresh_vault() as vault:
            done = getattr(vault.state, name)(" ".join(words), **signed(given))
        say(done, as_json=as_json)

    command.__doc__ = text
    for option in reversed((_REFERENCE, *more, remarks)):
        command = option(command)
    return click.command()(pass_session(command))


def say(done: Changed, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    place = f"{done.collection}/{done.path}" if done.collection else done.path
    # A statement about a name concerns no document.
    what = f"{output.name(place)} #{done.docid}" if done.docid else f"what was said {output.line(done.note or '')}"
    output.say(f"{done.action} {what}")
    if done.note and done.docid:
        output.note(done.note)
    if done.events:
        output.note(f"to undo: hearth undo {done.events[-1]}")


pin = changing("pin", "Rank a document first among equally relevant ones, and never archive it.")
unpin = changing("unpin", "Remove a pin.")
unsnooze = changing("unsnooze", "End a snooze.")


@click.command()
@click.argument("words", nargs=-1, metavar="[REF]")
@click.option("--list", "listing", is_flag=True, help="List what is forgotten, newest first.")
@remarks
@pass_session
def forget(session: CommandSession, words: tuple[str, ...], listing: bool, as_json: bool, **metadata: Any) -> None:
    """Hide a document from every search; its file stays."""
    if listing and words:
        raise UsageError("--list takes no document; to see one: hearth get REF")
    if not (listing or words):
        raise UsageError("name a document to forget, or list what is forgotten: hearth forget --list")
    with session.fresh_vault() as vault:
        if not listing:
            say(vault.state.forget(" ".join(words), **signed(metadata)), as_json=as_json)
            return
        vault.state.prepare()
        rows = list_forgotten(vault.store, vault.state.history)
    if as_json:
        output.say_json({"documents": rows, "total": len(rows)})
        return
    output.say_rows(
        (
            "-" if row["forgotten_at"] is None else instants.show_date(row["forgotten_at"]),
            f"{row['collection']}/{row['path']}",
            f"#{row['docid']}",
            row["reason"] or "",
        )
        for row in rows
    )
    output.note(f"to bring one back: hearth restore {rows[0]['docid']}" if rows else "nothing is forgotten")


restore = changing("restore", "Restore a forgotten, archived, superseded or invalidated document.")
supersede = changing(
    "supersede",
    "Mark a document as superseded by another; searches leave it out.",
    taking(Supersede, "by"),
)
invalidate = changing("invalidate", "Mark a document as no longer true; searches leave it out.")


@click.command()
@taking(Snooze, "*reference=ref@words until days")
@remarks
@pass_session
def snooze(
    session: CommandSession, words: tuple[str, ...], until: str | None, days: int | None, as_json: bool, **metadata: Any
) -> None:
    """Keep hooks from showing a document for a while; searches still find it."""
    if (until is None) == (days is None):
        raise UsageError("give --until DATE or --days N")
    with session.fresh_vault() as vault:
        now = vault.clock()
        if until is not None:
            end = options.parse_instant(until, "--until", now, vault.zone)
        else:
            end = now + (days or 0) * instants.DAY_MS
        done = vault.state.snooze(" ".join(words), end, **signed(metadata))
    say(done, as_json=as_json)


def _relating(name: str, text: str) -> click.Command:
    def command(session: CommandSession, source: str, kind: str, target: str, as_json: bool, **given: Any) -> None:
        with session.fresh_vault() as vault:
            done = getattr(vault.graph, name)(source, kind, target, **signed(given))
        say(done, as_json=as_json)

    command.__doc__ = text
    return click.command()(
        taking(Relating, ".reference=ref@source .type@kind .target=ref")(remarks(pass_session(command)))
    )


relate = _relating("relate", f"Relate two documents. TYPE is one of: {', '.join(STATABLE)}.")
unrelate = _relating("unrelate", "Remove a relation between two documents, whoever made it.")


_DONE = {
    "memory": "purged",
    "file": "purged and deleted",
    "index": "purged from the index, the file is still there:",
}


@click.command()
@taking(Target, ".reference=ref")
@click.option("--yes", is_flag=True, help="Do it; without this, only show what would be removed.")
@click.option("--file", is_flag=True, help="Also delete the file of a note that you wrote.")
@remarks
@pass_session
def purge(session: CommandSession, reference: str, yes: bool, file: bool, as_json: bool, **metadata: Any) -> None:
    """Erase a document for good: its memory file, former texts, fragments, vectors and cached scores.

    REF must name it exactly. This can't be undone."""
    with session.fresh_vault() as vault:
        done = vault.state.purge(reference, yes=yes, file=file, **signed(metadata))
    if as_json:
        output.say_json(done.to_dict())
        return
    output.say(f"{_DONE[done.scope]} {output.name(f'{done.collection}/{done.path}')} #{done.docid}")
    for path in done.erased:
        output.say(f"erased {output.name(path)}")
    for place in done.left:
        output.note(f"may still hold it: {output.line(place)}")
    if done.pending is not None:
        output.warn(f"not everything is erased yet ({done.pending}); run: hearth update")


@click.command()
@click.argument("event", required=False, metavar="[EVENT]")
@click.option("--run", metavar="ID", help="Undo a whole run: sweep, consolidation, curation, night, capture or import.")
@remarks
@pass_session
def undo(session: CommandSession, event: str | None, run: str | None, as_json: bool, **metadata: Any) -> None:
    """Undo your last change on this machine, the change of an event, or a whole run.

    A change is a mark, a relation or a correction. A memory just written is none: hearth forget takes it back."""
    if event is not None and run is not None:
        raise UsageError("name an event or a run, not both")
    if run is not None:
        _say_run(_undo_run(session, run.strip(), signed(metadata)), as_json=as_json)
        return
    with session.fresh_vault() as vault:
        done = vault.state.undo(event, **signed(metadata))
    say(done, as_json=as_json)


def _undo_run(session: CommandSession, run: str, said: dict[str, Any]) -> UndoneRun:
    from hearth.importers.runs import is_import

    if not is_import(run):
        with session.fresh_vault() as vault:
            return vault.truth.undo_run(run, **said)
    from hearth.cli.memories.imports import undo_import

    return undo_import(session, run, said)


def _say_run(done: UndoneRun, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    output.say(f"undone {output.plural(done.undone, 'change')} of run {output.name(done.run)}")
    for why in done.left:
        output.note(why)
    if done.run.startswith(NIGHT):
        output.note("what that night promoted does not return unless allowed: hearth dream allow KEY")
