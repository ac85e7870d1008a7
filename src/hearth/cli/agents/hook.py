"""``hearth hook`` and ``incognito``: answer one event of a host, and switch memory off."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.operation import taking
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import HearthError, UsageError
from hearth.core.hook import IncognitoReport
from hearth.daemon.address import address
from hearth.daemon.client import ask
from hearth.daemon.run import running
from hearth.daemon.stub import client as stub_client
from hearth.daemon.stub.call import build, environment, folder
from hearth.hook import Fallback, answer
from hearth.hosts import PLUGINS
from hearth.operations.sessions import Where

# Seconds for the daemon, and for this process after it, where somebody wants to know what a hook says.
_PATIENCE = 20.0


@click.command()
@click.argument("name")
@click.option(
    "--host", default=stub_client.DEFAULT_HOST, show_default=True, help="The host's dialect; auto detects it."
)
@click.option(
    "--explain", is_flag=True, help="Report on stderr who answered, from which vault, and why nothing was added."
)
@pass_session
def hook(session: CommandSession, name: str, host: str, explain: bool) -> None:
    """Answer one event, read from standard input as a host writes it.

    It always exits with 0; --explain says what went wrong."""
    if host not in stub_client.HOSTS and host not in PLUGINS:
        output.note(f"no host {host[:64]!r}, so the hook stays silent; hosts are: {', '.join(stub_client.HOSTS)}")
    if sys.stdin.isatty():
        output.note("reading the host's JSON from the terminal; end it with Ctrl-D")
    raw = sys.stdin.buffer.read(stub_client.MAX_STDIN).decode("utf-8", "replace").removeprefix("\ufeff")
    environ = _environ(session)
    began = time.monotonic()
    # Who wants to know what a hook says would rather wait than hear that the machine is busy.
    deadline = began + (_PATIENCE if explain else stub_client.BUDGETS.get(name, stub_client.BUDGET))
    passed_over = None
    try:
        silenced = "HEARTH_DISABLE is set, so hooks stay silent" if stub_client.is_disabled(environ) else None
        found = _nothing(name, host, silenced) if silenced else _ask(name, host, raw, deadline, environ)
        if "output" not in found:
            passed_over = found["passed over"]
            found = _alone(name, host, raw, time.monotonic() + _PATIENCE if explain else deadline, environ)
    except HearthError as error:
        found = _nothing(name, host, str(error))
    if found["output"]:
        output.say(found["output"])
    sys.stdout.flush()
    if found.get("after"):
        found["after"]()
    if explain:
        _explain(found, passed_over, (time.monotonic() - began) * 1000)


def _nothing(name: str, host: str, reason: str) -> dict[str, Any]:
    return {"output": stub_client.empty(name, host), "reason": reason, "vault": None, "by": "nobody"}


def _explain(found: Mapping[str, Any], passed_over: str | None, took: float) -> None:
    output.note(f"answered by {found['by']} in {took:.0f} ms, vault {found['vault'] or 'none'}")
    if passed_over is not None:
        output.note(f"not by the daemon: {passed_over}")
    if not found["output"] or found["reason"]:
        output.note(f"reason: {found['reason'] or 'none given'}")


def _environ(session: CommandSession) -> dict[str, str]:
    """As the stub would have it: a shell's ``PWD`` may be of another folder than ours."""
    named = {} if session.vault_name is None else {"HEARTH_VAULT": session.vault_name}
    return {**os.environ, "PWD": folder() or "/", **named}


def _ask(name: str, host: str, raw: str, deadline: float, environ: Mapping[str, str]) -> dict[str, Any]:
    """The daemon's answer; ``passed over`` says why there is none."""
    left = deadline - time.monotonic()
    fields = {
        "name": name,
        "host": host,
        "version": build(),
        "vault": environ.get("HEARTH_VAULT", ""),
        "env": environment(environ),
        "cwd": environ["PWD"],
        "deadline_ms": int(left * 1000),
        "input": raw,
        "explain": True,
    }
    at = address(environ)
    reply = ask(at, "hook", left, **fields)
    if reply is None:
        holder = running(at)
        why = "none is running" if holder is None else f"{holder} did not answer within {max(0.0, left):.0f} s"
        return {"passed over": why}
    if "output" not in reply:
        return {"passed over": _REFUSALS.get(str(reply.get("refused")), "it refused the event")}
    return {**reply, "by": "the daemon"}


_REFUSALS = {
    "version": "it is a different version; run: hearth daemon stop",
    "settings": "its HEARTH_ variables differ from those here; run: hearth daemon stop",
}


def _alone(name: str, host: str, raw: str, deadline: float, environ: Mapping[str, str]) -> dict[str, Any]:
    found = answer(name, host, raw, environ, deadline, Fallback(environ))
    row = {"output": found.output, "reason": found.reason, "vault": found.vault, "after": found.after}
    return {**row, "by": "this process"}


# What agents' hosts tell the commands that they run.
_SESSION = "CLAUDE_CODE_SESSION_ID"


@click.group(no_args_is_help=True)
def incognito() -> None:
    """Make a session or a folder incognito: hooks add nothing, nothing is captured."""


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
    taken: Callable[..., Any] = taking(Where, "session@of_session folder")(command)
    return taken


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
        end = f"config set agents.{off.agent}.memory true" if off.agent else "incognito off"
        output.note(f"hooks add nothing and nothing is recorded; to end it: hearth {end}")
    elif off.capture or off.surface:
        output.say(f"{'capture' if off.capture else 'surfacing'} is off: {output.name(where)} ({output.line(off.why)})")
    else:
        output.say(f"not incognito: {output.name(where)}")
    for one in (*(f"session {name}" for name in report.sessions), *report.folders):
        if one != where:
            output.say(f"also incognito: {output.name(one)}")
    for problem in report.problems:
        output.warn(problem)


_command("on", "Stop reading and recording memory here.", on=True)
_command("off", "Turn memory on again here; what was said meanwhile stays unrecorded.", on=False)
_command("status", "List incognito sessions and folders on this machine.", on=None)
