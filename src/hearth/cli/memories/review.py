"""``hearth review``, ``history`` and ``commitments``: what waits for a decision, was replaced, or was promised."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.memories import changes
from hearth.cli.operation import remarks, signed, taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.errors import NotFound, UsageError
from hearth.operations.truth import About, Promised, Review
from hearth.pages.dream import memory_md
from hearth.pages.dream.dreamer import find_leaving
from hearth.truth.commitments import Commitment
from hearth.truth.review import MOST, PendingMemory, ReviewCase, ReviewSide, days_left
from hearth.truth.truth import Chain, Version
from hearth.vault.vault import Vault

_ONE = click.argument("entry", metavar="N")
_NAMES = click.argument("names", metavar="[N]...", nargs=-1)
_ALL = taking(Review, "session@of_session all@everything")


@click.group(invoke_without_command=True)
@click.pass_context
def review(context: click.Context) -> None:
    """List contradictions and captured memories that need your decision; settle them.

    N is a number in the list, an id or a docid."""
    if context.invoked_subcommand is None:
        context.invoke(listed)


@review.command("list")
@options.json_flag
@pass_session
def listed(session: CommandSession, as_json: bool = False) -> None:
    """List what waits for a decision: contradictions, newest first, then captured memories."""
    with session.fresh_vault() as vault:
        cases, doubles, leaving = vault.truth.reviews(), vault.truth.doubles(), find_leaving(vault.dream)
        pending, now = vault.truth.approvals.pending(), vault.clock()
    if as_json:
        data = {"waiting": [one.to_dict() for one in cases], "names": [one.to_dict() for one in doubles]}
        data |= {"pending": [one.to_dict() for one in pending]}
        output.say_json({**data, "leaving": [one.to_dict() for one in leaving]})
        return
    for case in cases[:MOST]:
        sides = [f"#{side.docid} {output.line(side.title)}" for side in (case.newer, case.older) if side is not None]
        output.say(f"{case.number}. {case.entry.relation} ({case.entry.id}): {' | '.join(sides)}")
    if len(cases) > MOST:
        output.note(f"{len(cases) - MOST} more are waiting; decide some, then list again")
    for memory in pending:
        left = output.plural(days_left(memory, now), "day")
        output.say(f"{memory.number}. {memory.content_type} #{memory.docid}: {output.line(memory.said)}")
        output.note(f"captured {instants.show_date(memory.since)}, archived in {left}; session {memory.session}")
    if pending:
        output.note("hearth review accept N or reject N; all of them: --all; those of a session: --session S")
    for item in leaving:
        output.say(f"would leave {memory_md.NAME}: {output.line(item.text)} ({output.line(item.why)})")
    for command in dict.fromkeys(item.command for item in leaving):
        output.note(f"to let them go: {command}")
    for one in doubles:
        output.say(f"may be one: {output.line(one.name)} | {output.line(one.like)}")
        same, other = one.commands
        output.note(f"{output.line(same)}, or: {output.line(other)}")
    if not (cases or pending or doubles or leaving):
        output.note("nothing needs a decision")


@review.command("show")
@_ONE
@options.json_flag
@pass_session
def show(session: CommandSession, entry: str, as_json: bool) -> None:
    """Show both texts of a contradiction, or a captured memory, with their sources."""
    with session.fresh_vault() as vault:
        found = _find(vault, entry)
    if as_json:
        output.say_json(found.to_dict())
    elif isinstance(found, ReviewCase):
        _say(found)
    else:
        _say_pending(found)


def _find(vault: Vault, entry: str) -> ReviewCase | PendingMemory:
    try:
        return vault.truth.review(entry)
    except NotFound:
        return vault.truth.approvals.find(entry)


def _deciding(name: str, text: str) -> click.Command:
    def command(session: CommandSession, entry: str, as_json: bool, **metadata: Any) -> None:
        with session.fresh_vault() as vault:
            done = vault.truth.decide(entry, name, **signed(metadata))
        if as_json:
            output.say_json(done.to_dict())
            return
        output.say(f"{done.decision}: {done.case.entry.id}")
        output.note(f"to undo: hearth undo {done.events[-1]}")

    command.__doc__ = text
    return click.command(name)(_ONE(remarks(pass_session(command))))


for _name, _text in (
    ("keep-new", "Keep the newer one; it supersedes the older."),
    ("keep-old", "Keep the older one; it supersedes the newer."),
    ("both", "Keep both."),
    ("merge", "Merge duplicates: keep the newer one, with the sources of both."),
):
    review.add_command(_deciding(_name, _text))


def _approving(name: str, text: str) -> click.Command:
    def command(
        session: CommandSession,
        names: tuple[str, ...],
        of_session: str | None,
        everything: bool,
        as_json: bool,
        **metadata: Any,
    ) -> None:
        with session.fresh_vault() as vault:
            done = vault.truth.approvals.settle(
                name, names, session=of_session, everything=everything, **signed(metadata)
            )
        if as_json:
            output.say_json(done.to_dict())
            return
        output.say(f"{done.verdict}ed: {', '.join(f'#{docid}' for docid in done.docids)}")
        if done.events:
            output.note(f"to undo: hearth undo {f'--run {done.run}' if done.run else done.events[-1]}")

    command.__doc__ = text
    return click.command(name)(_NAMES(_ALL(remarks(pass_session(command)))))


for _name, _text in (
    ("accept", "Approve captured memories: they are shown, promoted and used in the profile."),
    ("reject", "Forget captured memories; hearth restore brings them back."),
):
    review.add_command(_approving(_name, _text))


def _say_pending(one: PendingMemory) -> None:
    output.say(f"{one.content_type} #{one.docid}: {output.line(one.said)}")
    if one.quote:
        output.say(f"  it was taken from: {output.line(one.quote)}")
    output.say(f"  session {one.session}, {instants.show_date(one.since)}  {output.name(one.path)}")


def _say(case: ReviewCase) -> None:
    entry = case.entry
    sure = "" if entry.confidence is None else f", {entry.confidence:.2f} sure"
    why = f": {output.line(entry.why)}" if entry.why else ""
    output.say(f"{entry.relation}{sure}{why}")
    if entry.evidence:
        output.say(f"  it says: {output.line(entry.evidence)}")
    for name, side in (("newer", case.newer), ("older", case.older)):
        _say_side(name, side)
    if entry.decision is not None:
        output.note(f"decided: {entry.decision}")


def _say_side(name: str, side: ReviewSide | None) -> None:
    if side is None:
        output.say(f"{name}: its document is gone")
        return
    place = output.name(f"{side.collection}/{side.path}")
    output.say(f"{name}: {instants.show_date_or_none(side.dated_at)}  {place} #{side.docid}")
    output.say(f"  from: {output.line(side.source)}")
    output.say(f"  {output.line(side.said)}")


@click.command()
@taking(About, "*reference=ref@words")
@options.json_flag
@pass_session
def history(session: CommandSession, words: tuple[str, ...], as_json: bool) -> None:
    """Show what a document superseded and what superseded it, oldest first, with reasons."""
    with session.fresh_vault() as vault:
        found = vault.truth.chain(" ".join(words))
    if as_json:
        output.say_json(found.to_dict())
        return
    for version in found.versions:
        _print_history(found, version)
    for edge in found.edges:
        why = edge.about.get("why")
        output.say(f"  {edge.kind} {output.name(edge.other)}{f': {output.line(str(why))}' if why else ''}")
    if len(found.versions) == 1 and not found.edges:
        output.note("it replaced nothing, and nothing replaced it")


def _print_history(chain: Chain, version: Version) -> None:
    document, validity = version.stored.document, version.validity
    since = chain.show(validity.valid_from)
    until = "now" if validity.valid_to is None and not validity.hidden else chain.show(validity.valid_to)
    place = output.name(document.place)
    labels = ", ".join((*validity.hidden, *([validity.status] if validity.status else ())))
    hidden = f"  {labels}" if labels else ""
    output.say(f"{'>' if version.focus else ' '} {since} to {until}  {place} #{document.docid}{hidden}")
    if version.said:
        output.say(f"    {output.line(version.said)}")
    if validity.superseded_by is not None:
        by = f" (by {output.name(str(version.why['actor']))})" if version.why.get("actor") else ""
        reason = f": {output.line(str(version.why['reason']))}" if version.why.get("reason") else ""
        output.say(f"    superseded by #{validity.superseded_by}{reason}{by}")


@click.command()
@taking(Promised, "due closed=all@closed")
@click.option("--done", metavar="REF", help="Mark this one as kept.")
@remarks
@pass_session
def commitments(
    session: CommandSession, due: int | None, closed: bool, done: str | None, as_json: bool, **metadata: Any
) -> None:
    """List open commitments, most urgent first."""
    if done is not None and (closed or due is not None):
        raise UsageError("--done names one commitment; leave --due and --all out")
    with session.fresh_vault() as vault:
        if done is not None:
            changes.say(vault.truth.fulfil(done, **signed(metadata)), as_json=as_json)
            return
        found = vault.truth.commitments(due, closed=closed)
    if as_json:
        output.say_json({"commitments": [one.to_dict() for one in found]})
        return
    for one in found:
        output.say(_line(one))
    if not found:
        output.note("no open commitments" if due is None else "nothing is due")


def _line(one: Commitment) -> str:
    when = "no day" if one.due_at is None else f"due {instants.show_date(one.due_at)}"
    if one.state != "open":
        when = one.state
    elif one.due_at is not None and one.overdue:
        when = f"overdue since {instants.show_date(one.due_at)}"
    owner = f" ({one.owner})" if one.owner else ""
    return f"{when}{owner}  {output.line(one.said)}  #{one.docid}"
