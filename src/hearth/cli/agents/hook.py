"""``hearth hook``: one hook, tried by hand."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import Any

import click

from hearth.cli import output
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import HearthError
from hearth.daemon.client import ask
from hearth.daemon.run import running
from hearth.daemon.stub import client as stub_client
from hearth.daemon.stub.address import address
from hearth.daemon.stub.call import build, environment, folder
from hearth.hook import Fallback, answer
from hearth.hosts import PLUGINS

# Seconds for the daemon, and for this process after it, where somebody wants to know what a hook says.
_PATIENCE = 20.0


@click.command()
@click.argument("name")
@click.option("--host", default=stub_client.DEFAULT_HOST, show_default=True, help="Whose dialect: auto finds out.")
@click.option("--explain", is_flag=True, help="Say on stderr who answered, from which vault, and why nothing came.")
@pass_session
def hook(session: CommandSession, name: str, host: str, explain: bool) -> None:
    """Answer one event, read from standard input as a host writes it.

    It ends well whatever it is given, as hosts want it; --explain tells what was wrong."""
    if host not in stub_client.HOSTS and host not in PLUGINS:
        output.note(f"no host {host[:64]!r}, so nothing is said; hosts are: {', '.join(stub_client.HOSTS)}")
    if sys.stdin.isatty():
        output.note("reading the host's JSON from the terminal; end it with Ctrl-D")
    raw = sys.stdin.buffer.read(stub_client.MAX_STDIN).decode("utf-8", "replace").removeprefix("\ufeff")
    environ = _environ(session)
    began = time.monotonic()
    # Who wants to know what a hook says would rather wait than hear that the machine is busy.
    deadline = began + (_PATIENCE if explain else stub_client.BUDGETS.get(name, stub_client.BUDGET))
    passed_over = None
    try:
        silenced = "HEARTH_DISABLE is set, so hooks say nothing" if stub_client.is_disabled(environ) else None
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
    "version": "it is of another version; run: hearth daemon stop",
    "settings": "its HEARTH_ variables are others than here; run: hearth daemon stop",
}


def _alone(name: str, host: str, raw: str, deadline: float, environ: Mapping[str, str]) -> dict[str, Any]:
    found = answer(name, host, raw, environ, deadline, Fallback(environ))
    row = {"output": found.output, "reason": found.reason, "vault": found.vault, "after": found.after}
    return {**row, "by": "this process"}
