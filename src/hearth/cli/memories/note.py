"""``hearth note``: a line in today's log."""

from __future__ import annotations

import click

from hearth.cli import options
from hearth.cli.memories import given
from hearth.cli.memories.remember import say
from hearth.cli.session import CommandSession, pass_session


@click.command()
@click.argument("words", nargs=-1, metavar="TEXT")
@options.json_flag
@pass_session
def note(session: CommandSession, words: tuple[str, ...], as_json: bool) -> None:
    """Add a text to today's file, under the present time.

    TEXT may stand without quotes; - reads it from standard input."""
    text = given.text(words)
    with session.vault() as vault:
        done = vault.memories.note(text)
    say(done, as_json=as_json)
