"""``hearth snooze``: out of sight for a while."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import moments
from hearth.cli.session import CommandSession, pass_session
from hearth.cli.state import change
from hearth.errors import UsageError
from hearth.model import instants


@click.command()
@click.argument("words", metavar="REF", nargs=-1, required=True)
@click.option("--until", metavar="DATE", help="Until this day or instant: YYYY-MM-DD, or ISO 8601.")
@click.option("--days", type=click.IntRange(1, 36_500), metavar="N", help="For so many days.")
@change.remarks
@pass_session
def snooze(
    session: CommandSession, words: tuple[str, ...], until: str | None, days: int | None, as_json: bool, **said: Any
) -> None:
    """Keep a document from being brought up unasked for a while; searches still find it."""
    if (until is None) == (days is None):
        raise UsageError("say how long: --until DATE, or --days N")
    with session.fresh_vault() as vault:
        now = vault.clock()
        if until is not None:
            end = moments.parse(until, "--until", now, vault.zone)
        else:
            end = now + (days or 0) * instants.DAY_MS
        done = vault.state.snooze(" ".join(words), end, **change.signed(said))
    change.say(done, as_json=as_json)
