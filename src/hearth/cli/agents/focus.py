"""``hearth focus``: what you are working on, so that what is shown unasked keeps to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.errors import UsageError
from hearth.model import instants

if TYPE_CHECKING:
    from hearth.engine.vault import Vault
    from hearth.model.host.session import Focus


def _scope(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--everywhere", is_flag=True, help="For all sessions of the vault.")(command)
    return click.option("--session", "of_session", metavar="ID", help="For this session alone.")(command)


@click.group(no_args_is_help=True)
def focus() -> None:
    """Say what you are working on."""


@focus.command("set")
@click.argument("words", nargs=-1, required=True, metavar="TOPIC")
@click.option("--hours", type=click.IntRange(1, 8_760), default=8, show_default=True, help="For so long.")
@_scope
@options.json_flag
@pass_session
def set_(
    session: CommandSession, words: tuple[str, ...], hours: int, of_session: str | None, everywhere: bool, as_json: bool
) -> None:
    """Set the topic for all sessions of this folder's project."""
    with session.fresh_vault() as vault:
        found = vault.sessions.focus.set(" ".join(words), **_where(vault, of_session, everywhere), hours=hours)
    _say(found, as_json=as_json)


@focus.command("show")
@_scope
@options.json_flag
@pass_session
def show(session: CommandSession, of_session: str | None, everywhere: bool, as_json: bool) -> None:
    """Show the topic that applies here."""
    with session.fresh_vault() as vault:
        found = vault.sessions.focus.of(**_where(vault, of_session, everywhere))
    _say(found, as_json=as_json)


@focus.command("clear")
@_scope
@options.json_flag
@pass_session
def clear(session: CommandSession, of_session: str | None, everywhere: bool, as_json: bool) -> None:
    """End the topic that was set here; a wider one then applies again."""
    with session.fresh_vault() as vault:
        where = _where(vault, of_session, everywhere)
        ended = vault.sessions.focus.clear(**where)
        left = vault.sessions.focus.of(**where)
    if as_json:
        output.say_json({"cleared": None if ended is None else ended.to_dict(), "focus": _row(left)})
        return
    output.say("no focus was set here" if ended is None else f"ended: {output.line(ended.topic)}")
    if left is not None:
        output.note(f"what applies now, for {_whose(left)}: {output.line(left.topic)}")


def _where(vault: Vault, of_session: str | None, everywhere: bool) -> dict[str, str | None]:
    """A session, else the project of this folder; a folder without a project stands for the vault."""
    if of_session is not None and everywhere:
        raise UsageError("choose one of --session and --everywhere")
    return {"session": of_session, "project": None if of_session or everywhere else options.project_here(vault)}


def _say(found: Focus | None, *, as_json: bool) -> None:
    if as_json:
        output.say_json({"focus": _row(found)})
    elif found is None:
        output.note('no focus is set; set one with: hearth focus set "TOPIC"')
    else:
        until = "" if found.until is None else f", until {instants.show(found.until)}"
        output.say(f"{output.line(found.topic)}  ({_whose(found)}{until})")


def _whose(found: Focus) -> str:
    return "all sessions" if found.scope == "vault" else f"{found.scope} {output.line(found.subject or '')}"


def _row(found: Focus | None) -> dict[str, Any] | None:
    return None if found is None else found.to_dict()
