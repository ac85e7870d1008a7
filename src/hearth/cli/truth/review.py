"""``hearth review``: what waits for your decision: documents that may not both be true, and captured memories."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.dream import page
from hearth.engine.dream.leaving import find_leaving
from hearth.engine.truth.approval import PendingMemory, days_left
from hearth.engine.truth.review import MOST, ReviewCase, ReviewSide
from hearth.engine.vault import Vault
from hearth.errors import NotFound
from hearth.model import instants

_ONE = click.argument("entry", metavar="N")
_NAMES = click.argument("names", metavar="[N]...", nargs=-1)
_SESSION = click.option("--session", "of_session", metavar="SESSION", help="All captured memories of this session.")
_ALL = click.option("--all", "everything", is_flag=True, help="All captured memories that wait.")


@click.group(invoke_without_command=True)
@click.pass_context
def review(context: click.Context) -> None:
    """List what may not both be true and what was captured without your approval; decide it.

    N is a number in the list, an id or a docid."""
    if context.invoked_subcommand is None:
        context.invoke(listed)


@review.command("list")
@options.json_flag
@pass_session
def listed(session: CommandSession, as_json: bool = False) -> None:
    """List what waits for a decision: the newest questions first, ten at most, then captured memories."""
    with session.fresh_vault() as vault:
        cases, doubles, leaving = vault.truth.reviews(), vault.truth.doubles(), find_leaving(vault.dream)
        pending, now = vault.truth.approvals.pending(), vault.clock()
    if as_json:
        told = {"waiting": [one.to_dict() for one in cases], "names": [one.to_dict() for one in doubles]}
        told |= {"pending": [one.to_dict() for one in pending]}
        output.say_json({**told, "leaving": [one.to_dict() for one in leaving]})
        return
    for case in cases[:MOST]:
        sides = [f"#{side.docid} {output.line(side.title)}" for side in (case.newer, case.older) if side is not None]
        output.say(f"{case.number}. {case.entry.relation} ({case.entry.id}): {' | '.join(sides)}")
    if len(cases) > MOST:
        output.note(f"{len(cases) - MOST} more wait; decide some, then list again")
    for memory in pending:
        left = output.plural(days_left(memory, now), "day")
        output.say(f"{memory.number}. {memory.content_type} #{memory.docid}: {output.line(memory.said)}")
        output.note(f"captured {instants.show_date(memory.since)}, archived in {left}; session {memory.session}")
    if pending:
        output.note("hearth review accept N or reject N; all of them: --all; those of a session: --session S")
    for item in leaving:
        output.say(f"would leave {page.NAME}: {output.line(item.text)} ({output.line(item.why)})")
    for command in dict.fromkeys(item.command for item in leaving):
        output.note(f"to let them go: {command}")
    for one in doubles:
        output.say(f"may be one: {output.line(one.name)} | {output.line(one.like)}")
        same, other = one.commands
        output.note(f"{output.line(same)}, or: {output.line(other)}")
    if not (cases or pending or doubles or leaving):
        output.note("nothing waits for a decision")


@review.command("show")
@_ONE
@options.json_flag
@pass_session
def show(session: CommandSession, entry: str, as_json: bool) -> None:
    """Show both texts of a question, or a captured memory, with where they come from."""
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
    def command(session: CommandSession, entry: str, as_json: bool, **said: Any) -> None:
        with session.fresh_vault() as vault:
            done = vault.truth.decide(entry, name, **change.signed(said))
        if as_json:
            output.say_json(done.to_dict())
            return
        output.say(f"{done.decision}: {done.case.entry.id}")
        output.note(f"to take it back: hearth undo {done.events[-1]}")

    command.__doc__ = text
    return click.command(name)(_ONE(change.remarks(pass_session(command))))


for _name, _text in (
    ("keep-new", "The newer one holds and replaces the older one."),
    ("keep-old", "The older one holds and replaces the newer one."),
    ("both", "Both hold: nothing is replaced."),
    ("merge", "Both say the same: the newer one stays, with what both were taken from."),
):
    review.add_command(_deciding(_name, _text))


def _approving(name: str, text: str) -> click.Command:
    def command(
        session: CommandSession,
        names: tuple[str, ...],
        of_session: str | None,
        everything: bool,
        as_json: bool,
        **said: Any,
    ) -> None:
        with session.fresh_vault() as vault:
            done = vault.truth.approvals.settle(
                name, names, session=of_session, everything=everything, **change.signed(said)
            )
        if as_json:
            output.say_json(done.to_dict())
            return
        output.say(f"{done.verdict}ed: {', '.join(f'#{docid}' for docid in done.docids)}")
        if done.events:
            output.note(f"to take it back: hearth undo {f'--run {done.run}' if done.run else done.events[-1]}")

    command.__doc__ = text
    return click.command(name)(_NAMES(_SESSION(_ALL(change.remarks(pass_session(command))))))


for _name, _text in (
    ("accept", "Captured memories count from now on: they are brought up, promoted, put on the profile."),
    ("reject", "Captured memories are forgotten; hearth restore brings them back."),
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
