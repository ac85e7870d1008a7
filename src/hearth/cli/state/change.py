"""What the commands that change a document's state have in common: a reference, a reason, who does it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.model.journal.change import Changed

_REMARKS: list[Callable[[Any], Any]] = [
    click.option("--reason", metavar="TEXT", help="Why, in up to 200 characters; kept in the journal."),
    click.option("--actor", metavar="NAME", help="Who does it; else human on a terminal, program elsewhere."),
    options.json_flag,
]
_REFERENCE = click.argument("words", metavar="REF", nargs=-1, required=True)


def changing(name: str, text: str, *more: Callable[[Any], Any]) -> click.Command:
    """The command for the call ``name`` of ``vault.state``; ``more`` are options of its own, passed on by name."""

    def command(session: CommandSession, words: tuple[str, ...], as_json: bool, **given: Any) -> None:
        with session.fresh_vault() as vault:
            done = getattr(vault.state, name)(" ".join(words), **signed(given))
        say(done, as_json=as_json)

    command.__doc__ = text
    for option in reversed((_REFERENCE, *more, *_REMARKS)):
        command = option(command)
    return click.command()(pass_session(command))


def remarks(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for reason, actor and JSON."""
    for option in reversed(_REMARKS):
        command = option(command)
    return command


def signed(given: dict[str, Any]) -> dict[str, Any]:
    """With an actor: a person is whoever sits at a terminal."""
    sits = sys.stdin is not None and sys.stdin.isatty()
    return given | {"actor": given["actor"] or ("human" if sits else "program")}


def say(done: Changed, *, as_json: bool) -> None:
    if as_json:
        output.say_json(done.to_dict())
        return
    place = f"{done.collection}/{done.path}" if done.collection else done.path
    # What was said of a name is about no document.
    what = f"{output.name(place)} #{done.docid}" if done.docid else f"what was said {output.line(done.note or '')}"
    output.say(f"{done.action} {what}")
    if done.note and done.docid:
        output.note(done.note)
    if done.events:
        output.note(f"to take it back: hearth undo {done.events[-1]}")
