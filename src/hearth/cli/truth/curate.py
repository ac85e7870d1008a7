"""``hearth curate``: what the vault needs of a person."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import output
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.engine.curation.action import Curation, CurationAction


@click.command()
@click.option("--apply", is_flag=True, help="Do what can be undone, as one run.")
@change.remarks
@pass_session
def curate(session: CommandSession, apply: bool, as_json: bool, **said: Any) -> None:
    """Say what the vault needs of you, the most urgent first, each with its command. Without --apply nothing is
    changed."""
    with session.fresh_vault() as vault:
        found = vault.dream.curator().curate(apply=apply, **change.signed(said))
    if as_json:
        output.say_json(found.to_dict())
    else:
        _say(found, applied=apply)


def _say(found: Curation, *, applied: bool) -> None:
    for line in found.done:
        output.say(f"done  {output.line(line)}")
    for one in found.actions:
        _say_action(one)
    if not found.actions:
        output.note("nothing is to be done")
    if found.run is not None:
        output.note(f"to take it back: hearth undo --run {found.run}")
    if not applied and any(one.reversible for one in found.actions):
        output.note("to do what is marked with *, all of which can be undone: hearth curate --apply")


def _say_action(one: CurationAction) -> None:
    output.say(f"{'*' if one.reversible else '-'} {output.line(one.said)}")
    for detail in one.details:
        output.say(f"    {output.line(detail)}")
    for command in one.commands:
        output.say(f"  $ {output.name(command)}")
