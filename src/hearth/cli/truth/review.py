"""``hearth review``: pairs of documents that may not both be true, settled by you."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.dream import page
from hearth.engine.dream.leaving import find_leaving
from hearth.engine.truth.review import MOST, ReviewCase, ReviewSide
from hearth.model import instants

_ONE = click.argument("entry", metavar="N")


@click.group(invoke_without_command=True)
@click.pass_context
def review(context: click.Context) -> None:
    """List what may not both be true, and settle it: N is its number in the list, or its id."""
    if context.invoked_subcommand is None:
        context.invoke(listed)


@review.command("list")
@options.json_flag
@pass_session
def listed(session: CommandSession, as_json: bool = False) -> None:
    """List what waits for a decision, the newest first, ten at most."""
    with session.fresh_vault() as vault:
        cases, doubles, leaving = vault.truth.reviews(), vault.truth.doubles(), find_leaving(vault.dream)
    if as_json:
        told = {"waiting": [one.to_dict() for one in cases], "names": [one.to_dict() for one in doubles]}
        output.say_json({**told, "leaving": [one.to_dict() for one in leaving]})
        return
    for case in cases[:MOST]:
        sides = [f"#{side.docid} {output.line(side.title)}" for side in (case.newer, case.older) if side is not None]
        output.say(f"{case.number}. {case.entry.relation} ({case.entry.id}): {' | '.join(sides)}")
    if len(cases) > MOST:
        output.note(f"{len(cases) - MOST} more wait; decide some, then list again")
    for item in leaving:
        output.say(f"would leave {page.NAME}: {output.line(item.text)} ({output.line(item.why)})")
    for command in dict.fromkeys(item.command for item in leaving):
        output.note(f"to let them go: {command}")
    for one in doubles:
        output.say(f"may be one: {output.line(one.name)} | {output.line(one.like)}")
        same, other = one.commands
        output.note(f"{output.line(same)}, or: {output.line(other)}")
    if not (cases or doubles or leaving):
        output.note("nothing waits for a decision")


@review.command("show")
@_ONE
@options.json_flag
@pass_session
def show(session: CommandSession, entry: str, as_json: bool) -> None:
    """Show both texts of one, with where they come from."""
    with session.fresh_vault() as vault:
        case = vault.truth.review(entry)
    if as_json:
        output.say_json(case.to_dict())
        return
    _say(case)


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
