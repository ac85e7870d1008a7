"""``hearth commitments``: what was promised."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.engine.truth.commitments import Commitment
from hearth.errors import UsageError
from hearth.model import instants


@click.command()
@click.option("--due", type=click.IntRange(0, 3_650), metavar="N", help="Only what is due within N days, or overdue.")
@click.option("--all", "closed", is_flag=True, help="Also what was kept and what lapsed.")
@click.option("--done", metavar="REF", help="Say that this one was kept.")
@change.remarks
@pass_session
def commitments(
    session: CommandSession, due: int | None, closed: bool, done: str | None, as_json: bool, **said: Any
) -> None:
    """List what was promised and is open, the most urgent first."""
    if done is not None and (closed or due is not None):
        raise UsageError("--done names one commitment; leave --due and --all out")
    with session.fresh_vault() as vault:
        if done is not None:
            change.say(vault.truth.fulfil(done, **change.signed(said)), as_json=as_json)
            return
        found = vault.truth.commitments(due, closed=closed)
    if as_json:
        output.say_json({"commitments": [one.to_dict() for one in found]})
        return
    for one in found:
        output.say(_line(one))
    if not found:
        output.note("nothing promised is open" if due is None else "nothing is due")


def _line(one: Commitment) -> str:
    when = "no day" if one.due_at is None else f"due {instants.show_date(one.due_at)}"
    if one.state != "open":
        when = one.state
    elif one.due_at is not None and one.overdue:
        when = f"overdue since {instants.show_date(one.due_at)}"
    owner = f" ({one.owner})" if one.owner else ""
    return f"{when}{owner}  {output.line(one.said)}  #{one.docid}"
