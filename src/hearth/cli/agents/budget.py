"""``hearth budget``: what was put into agents' contexts, and how much of it they used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.errors import NotFound

if TYPE_CHECKING:
    from hearth.engine.usage.budget import Budget, Spent

_SESSIONS = 10


@click.command()
@click.option("--days", type=click.IntRange(1, 90), default=7, show_default=True, help="Of the last so many days.")
@click.option("--session", "name", metavar="SESSION", help="Only of this session, by the beginning of its id.")
@options.json_flag
@pass_session
def budget(session: CommandSession, days: int, name: str | None, as_json: bool) -> None:
    """Show what agents were shown unasked, and how much of it they used."""
    with session.fresh_vault() as vault:
        found = vault.usage.budget(days)
    if name is not None:
        _one(found, name, as_json=as_json)
    elif as_json:
        output.say_json(found.to_dict())
    elif found.total.turns:
        _tell(found)
    else:
        output.note(f"nothing was shown in the last {output.plural(days, 'day')}")


def _one(found: Budget, name: str, *, as_json: bool) -> None:
    rows = [row for row in found.by_session if row.name.startswith(name)]
    if not rows:
        raise NotFound(f"nothing was shown in a session {name!r} in the last {output.plural(found.days, 'day')}")
    if as_json:
        output.say_json({"by_session": [row.to_dict() for row in rows]})
    else:
        _rows("by session", rows)


def _tell(found: Budget) -> None:
    total = found.total
    turns, sessions = output.plural(total.turns, "turn"), output.plural(len(found.by_session), "session")
    output.say(f"last {output.plural(found.days, 'day')}: {total.tokens:,} tokens in {turns} of {sessions}")
    output.say(f"used: {total.referenced:,} of {total.items:,} passages ({total.share:.0%}){_each(total)}")
    _rows("by day", found.by_day)
    _rows("by hook", found.by_hook)
    _rows("by session", found.by_session[:_SESSIONS])
    if found.unused:
        output.say("\nshown most and never used")
        output.say_rows((output.plural(d.turns, "turn"), d.place, f"#{d.docid}") for d in found.unused)


def _rows(title: str, rows: Sequence[Spent]) -> None:
    output.say(f"\n{title}")
    output.say_rows(
        (row.name, f"{row.tokens:,} tokens", output.plural(row.turns, "turn"), f"{row.share:.0%} used") for row in rows
    )


def _each(total: Spent) -> str:
    each = total.tokens_per_reference
    return "" if each is None else f", {each:,.0f} tokens for each"
