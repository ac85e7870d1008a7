"""``hearth undo``: a change taken back."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.engine.state.runs import NIGHT, UndoneRun
from hearth.errors import UsageError


@click.command()
@click.argument("event", required=False, metavar="[EVENT]")
@click.option(
    "--run", metavar="ID", help="All that a sweep, consolidation, curation, night or capture did, in one step."
)
@change.remarks
@pass_session
def undo(session: CommandSession, event: str | None, run: str | None, as_json: bool, **said: Any) -> None:
    """Take back the last change of state that you made on this machine, or the one of an event, or a whole run."""
    if event is not None and run is not None:
        raise UsageError("name an event or a run, not both")
    with session.fresh_vault() as vault:
        if run is not None:
            _say_run(vault.truth.undo_run(run, **change.signed(said)), as_json=as_json)
            return
        done = vault.state.undo(event, **change.signed(said))
    change.say(done, as_json=as_json)


def _say_run(done: UndoneRun, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    output.say(f"undone {output.plural(done.undone, 'change')} of run {output.name(done.run)}")
    for why in done.left:
        output.note(why)
    if done.run.startswith(NIGHT):
        output.note("what that night promoted does not come again, unless you let it: hearth dream allow KEY")
