"""``hearth undo``: a change taken back."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change


@click.command()
@click.argument("event", required=False, metavar="[EVENT]")
@change.remarks
@pass_session
def undo(session: CommandSession, event: str | None, as_json: bool, **said: Any) -> None:
    """Take back the last change of state that you made on this machine, or the one of an event."""
    with session.fresh_vault() as vault:
        done = vault.state.undo(event, **change.signed(said))
    change.say(done, as_json=as_json)
