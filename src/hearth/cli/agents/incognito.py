"""``hearth incognito``: a session or a folder for which nothing is read and nothing kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core.action import IncognitoReport
from hearth.core.errors import UsageError

# What agents' hosts tell the commands that they run.
_SESSION = "CLAUDE_CODE_SESSION_ID"


@click.group(no_args_is_help=True)
def incognito() -> None:
    """Make a session or a folder incognito: hooks bring nothing, nothing is captured."""


def _command(name: str, text: str, on: bool | None) -> None:
    """Adds ``on``, ``off`` or ``status``."""

    def command(session: CommandSession, of_session: str | None, folder: str | None, as_json: bool) -> None:
        where = _where(of_session, folder)
        with session.vault() as vault:
            if on is not None:
                vault.privacy.switch(on, **where)
            report = vault.privacy.report(where["session"], where["folder"] or str(Path.cwd()))
        if as_json:
            output.say_json(report.to_dict())
        else:
            _say(report)

    command.__doc__ = text
    incognito.command(name)(_scope(options.json_flag(pass_session(command))))


def _scope(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--folder", metavar="PATH", help="This folder and all below it.")(command)
    return click.option("--session", "of_session", metavar="ID", help="This session alone.")(command)


def _where(of_session: str | None, folder: str | None) -> dict[str, str | None]:
    """A session, else a folder; where neither is named, the session that runs this command, else this folder."""
    if of_session is not None and folder is not None:
        raise UsageError("choose one of --session and --folder")
    if of_session is None and folder is None:
        of_session = os.environ.get(_SESSION) or None
    if of_session is not None:
        return {"session": of_session, "folder": None}
    return {"session": None, "folder": str(Path(folder or ".").expanduser().resolve())}


def _say(report: IncognitoReport) -> None:
    off, where = report.here, f"session {report.session}" if report.session is not None else report.folder or ""
    if off.everything:
        output.say(f"incognito: {output.name(where)} ({output.line(off.why)})")
        output.note("hooks bring nothing, and nothing said here is kept; hearth incognito off ends it")
    elif off.capture or off.surface:
        output.say(f"{'capture' if off.capture else 'surfacing'} is off: {output.name(where)} ({output.line(off.why)})")
    else:
        output.say(f"not incognito: {output.name(where)}")
    for one in (*(f"session {name}" for name in report.sessions), *report.folders):
        if one != where:
            output.say(f"also incognito: {output.name(one)}")
    for problem in report.problems:
        output.warn(problem)


_command("on", "From now on nothing is read and nothing kept here.", on=True)
_command("off", "From now on memory is used here again; what was said meanwhile stays out.", on=False)
_command("status", "Show what is incognito here and elsewhere on this machine.", on=None)
