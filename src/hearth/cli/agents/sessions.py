"""``hearth log``, ``usage``, ``budget`` and ``focus``: sessions with agents, what they were shown and used, what they
are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from hearth.cli import options, output
from hearth.cli.operation import command
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.errors import NotFound, UsageError
from hearth.core.session import Session as Row
from hearth.core.session import SessionDetail, ShownDocument
from hearth.operations.sessions import MOST_USED, say_changed

if TYPE_CHECKING:
    from hearth.core.session import Focus
    from hearth.memory.session_log import Budget, Spent
    from hearth.vault.vault import Vault


@click.command()
@click.argument("name", required=False, metavar="[SESSION]")
@click.option(
    "-n", "--limit", "--last", type=click.IntRange(1, 1_000), default=20, show_default=True, help="At most this many."
)
@click.option("--here", is_flag=True, help="Only sessions of this folder's project.")
@options.json_flag
@pass_session
def log(session: CommandSession, name: str | None, limit: int, here: bool, as_json: bool) -> None:
    """List the sessions, newest first, or show one turn by turn."""
    with session.fresh_vault() as vault:
        if name is not None:
            detail = vault.sessions.get(name)
            output.say_json(detail.to_dict()) if as_json else _one(detail)
            return
        project = session.find_project(vault) if here else None
        found = vault.sessions.recent(limit, project, empty=False)
    if as_json:
        output.say_json({"sessions": [row.to_dict() for row in found]})
        return
    if found:
        output.say_rows(_cells(row) for row in found)
    else:
        output.note("no sessions yet; they are recorded once hooks are installed: hearth setup claude-code")


def _cells(row: Row) -> tuple[str, ...]:
    end = "open" if row.ended is None else instants.show(row.ended)
    used = f"{row.referenced:,} of {row.surfaced:,} used"
    turns, files = output.plural(row.turns, "turn"), say_changed(row) if row.files else ""
    began, host, project = instants.show(row.began), row.host or "-", row.project or "-"
    return (row.id, began, end, host, project, turns, used, files, row.summary or "")


def _one(detail: SessionDetail) -> None:
    row = detail.session
    end = "open" if row.ended is None else f"{instants.show(row.ended)} ({output.line(row.ending or 'other')})"
    output.say(f"session {row.id}")
    conversation = f"#{row.conversation}" if row.conversation else None
    facts = (
        ("host", row.host),
        ("project", row.project),
        ("machine", row.machine),
        ("hand-off", row.summary),
        ("conversation", conversation),
    )
    for label, value in (*facts, ("began", instants.show(row.began)), ("ended", end)):
        if value:
            output.say(f"  {label}: {output.line(value)}")
    used = f"{row.referenced:,} of {row.surfaced:,} fragments used, {row.tokens:,} tokens shown"
    output.say(f"  {output.plural(row.turns, 'turn')}: {used}")
    for file in detail.files:
        output.say(f"  changed {output.name(file)}")
    for turn in detail.turns:
        hooks = f"  {', '.join(map(output.line, turn.hooks))}, {turn.tokens:,} tokens" if turn.shown else ""
        output.say(f"{instants.show(turn.at)}  turn {turn.id}{hooks}")
        for document in turn.shown:
            output.say(f"  {'*' if document.referenced else ' '} {_place(document)}")
    if detail.older:
        output.note(
            f"details of {output.plural(detail.older, 'older turn')} are no longer stored; the totals include them"
        )


def _place(document: ShownDocument) -> str:
    if document.place is None:
        return f"#{document.docid} (deleted)"
    lines = ",".join(f"{start}-{end}" for start, end in document.lines)
    return f"{output.name(document.place)}{':' + lines if lines else ''}"


@click.group(no_args_is_help=True)
def usage() -> None:
    """Show which documents and memories are used."""


usage.add_command(command(MOST_USED), "top")

_SESSIONS = 10


@click.command()
@click.option("--days", type=click.IntRange(1, 90), default=7, show_default=True, help="Look back this many days.")
@click.option("--session", "name", metavar="SESSION", help="Only this session, by the start of its id.")
@options.json_flag
@pass_session
def budget(session: CommandSession, days: int, name: str | None, as_json: bool) -> None:
    """Show what hooks added to agents' contexts, and how much of it was used."""
    with session.fresh_vault() as vault:
        found = vault.usage.budget(days)
    if name is not None:
        _budget_one(found, name, as_json=as_json)
    elif as_json:
        output.say_json(found.to_dict())
    elif found.total.turns:
        _tell(found)
    else:
        output.note(f"nothing was shown in the last {output.plural(days, 'day')}")


def _budget_one(found: Budget, name: str, *, as_json: bool) -> None:
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
    output.say(f"used: {total.referenced:,} of {total.items:,} fragments ({total.share:.0%}){_each(total)}")
    _rows("by day", found.by_day)
    _rows("by hook", found.by_hook)
    _rows("by session", found.by_session[:_SESSIONS])
    if found.unused:
        output.say("\nshown most, never used")
        output.say_rows((output.plural(d.turns, "turn"), d.place, f"#{d.docid}") for d in found.unused)


def _rows(title: str, rows: Sequence[Spent]) -> None:
    output.say(f"\n{title}")
    output.say_rows(
        (row.name, f"{row.tokens:,} tokens", output.plural(row.turns, "turn"), f"{row.share:.0%} used") for row in rows
    )


def _each(total: Spent) -> str:
    each = total.tokens_per_reference
    return "" if each is None else f", {each:,.0f} tokens for each"


def _scope(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--everywhere", is_flag=True, help="For all sessions of the vault.")(command)
    return click.option("--session", "of_session", metavar="ID", help="For this session only.")(command)


@click.group(no_args_is_help=True)
def focus() -> None:
    """Set what you are working on."""


@focus.command("set")
@click.argument("words", nargs=-1, required=True, metavar="TOPIC")
@click.option("--hours", type=click.IntRange(1, 8_760), default=8, show_default=True, help="How long it applies.")
@_scope
@options.json_flag
@pass_session
def set_(
    session: CommandSession, words: tuple[str, ...], hours: int, of_session: str | None, everywhere: bool, as_json: bool
) -> None:
    """Set the topic for all sessions of this folder's project."""
    with session.fresh_vault() as vault:
        found = vault.sessions.focus.set(" ".join(words), **_where(session, vault, of_session, everywhere), hours=hours)
    _say(found, as_json=as_json)


@focus.command("show")
@_scope
@options.json_flag
@pass_session
def show(session: CommandSession, of_session: str | None, everywhere: bool, as_json: bool) -> None:
    """Show the topic that applies here."""
    with session.fresh_vault() as vault:
        found = vault.sessions.focus.of(**_where(session, vault, of_session, everywhere))
    _say(found, as_json=as_json)


@focus.command("clear")
@_scope
@options.json_flag
@pass_session
def clear(session: CommandSession, of_session: str | None, everywhere: bool, as_json: bool) -> None:
    """End the topic that was set here; a wider one then applies again."""
    with session.fresh_vault() as vault:
        where = _where(session, vault, of_session, everywhere)
        ended = vault.sessions.focus.clear(**where)
        left = vault.sessions.focus.of(**where)
    if as_json:
        output.say_json({"cleared": None if ended is None else ended.to_dict(), "focus": _row(left)})
        return
    output.say("no focus was set here" if ended is None else f"ended: {output.line(ended.topic)}")
    if left is not None:
        output.note(f"still active, for {_whose(left)}: {output.line(left.topic)}")


def _where(session: CommandSession, vault: Vault, of_session: str | None, everywhere: bool) -> dict[str, str | None]:
    """A session, else the project of this folder; a folder without a project stands for the vault."""
    if of_session is not None and everywhere:
        raise UsageError("choose one of --session and --everywhere")
    return {"session": of_session, "project": None if of_session or everywhere else session.find_project(vault)}


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
