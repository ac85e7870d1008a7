"""``hearth daemon``: the warm process that answers hooks."""

from __future__ import annotations

import os
from typing import Any

import click

from hearth.cli import options, output, served
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import Unavailable, UsageError
from hearth.daemon.client import ask, begin, end
from hearth.daemon.run import Start, running
from hearth.daemon.run import run as serve
from hearth.daemon.stub.address import Address, address
from hearth.daemon.stub.call import build


@click.group(no_args_is_help=True)
def daemon() -> None:
    """Start, stop and look at the warm process behind the hooks."""


@daemon.command("start")
@pass_session
def start(session: CommandSession) -> None:
    """Start the daemon, if none runs. Hooks do so by themselves unless daemon.mode says otherwise."""
    _refuse_vault(session)
    session.settings()  # what is wrong with them is said here, not in a log
    process, new = begin(_address(), os.environ)
    output.say(f"the daemon {'is running' if new else 'was running already'} as process {process}")


@daemon.command("stop")
@pass_session
def stop(session: CommandSession) -> None:
    """Stop the daemon; by force where it hangs."""
    _refuse_vault(session)
    how = end(_address())
    output.say("no daemon was running" if how is None else f"the daemon was {how}")


@daemon.command("status")
@options.json_flag
@pass_session
def status(session: CommandSession, as_json: bool) -> None:
    """Show whether the daemon runs, what it did and how its jobs stand."""
    if session.vault_name is not None:
        session.settings()  # an unknown one is an error, as everywhere
    at = _address()
    found = _of_vault(ask(at, "status"), session.vault_name)
    holder = running(at)
    if as_json:
        output.say_json({"running": holder is not None, "socket": at.socket, "daemon": found})
    elif found is not None:
        _say(found, at)
    elif holder is not None:
        raise Unavailable(f"{holder} is the daemon and does not answer; run: hearth daemon stop")
    else:
        mode = session.settings().loaded.config.daemon.mode
        why = "the next hook starts one" if mode == "auto" else f"daemon.mode is {mode}"
        output.say(f"no daemon is running ({why})")


@daemon.command("address")
@click.option("--start", "starts", is_flag=True, help="Start the daemon first, unless daemon.mode forbids it.")
@options.json_flag
@pass_session
def show_address(session: CommandSession, starts: bool, as_json: bool) -> None:
    """Show where programs reach the daemon, and what they must say to be answered."""
    _refuse_vault(session)
    at = _address()
    if starts and session.settings().loaded.config.daemon.mode == "auto":
        begin(at, os.environ)
    if as_json:
        output.say_json({"socket": at.socket, "version": build(), "hash": at.agreement})
    else:
        output.say(f"socket       {at.socket}\nversion      {build()}\nhash         {at.agreement}")


@daemon.command("run")
@click.option("--stay", is_flag=True, help="Don't end when idle.")
@pass_session
def run(session: CommandSession, stay: bool) -> None:
    """Be the daemon, in the foreground, until stopped."""
    _refuse_vault(session)
    output.note(f"listening on {_address().socket}; stop with Ctrl-C")
    serve(os.environ, Start(stay=stay, commands=served.begin))


def _refuse_vault(session: CommandSession) -> None:
    if session.vault_name is not None:
        raise UsageError("--vault has no effect here: one daemon keeps all vaults; run this without it")


def _of_vault(found: dict[str, Any] | None, name: str | None) -> dict[str, Any] | None:
    """A status with that vault alone, where one is named."""
    if found is None or name is None:
        return found
    return {**found, "vaults": [row for row in found["vaults"] if row["vault"] == name]}


def _address() -> Address:
    return address(os.environ)


def _say(found: dict[str, Any], at: Address) -> None:
    output.say(f"process      {found['pid']}, version {found['version']}, up {_span(found['seconds'])}")
    output.say(f"socket       {at.socket}")
    output.say(f"idle         {_span(found['idle_seconds'])}")
    output.say("requests     " + ", ".join(f"{count:,} {what}" for what, count in found["requests"].items()))
    output.say(f"takes        {output.size(found['memory_kib'] * 1024)}, {found['descriptors']} descriptors")
    if found["hash"] != at.agreement:
        output.say("settings     others than here, so hooks from here do without it; run: hearth daemon stop")
    if found["problem"]:
        output.say(f"problem      {output.line(found['problem'])}")
    if not found["vaults"]:
        output.say("vault        not opened so far; the next hook of its projects opens it")
    for vault in found["vaults"]:
        age = vault["scanned_seconds_ago"]
        looked = "not scanned yet" if age is None else f"scanned {_span(age)} ago"
        output.say(f"vault        {vault['vault']}: {looked}" + (", index is stale" if vault["stale"] else ""))
        if vault["problem"]:
            output.say(f"             {output.line(vault['problem'])}")
        for job in vault["jobs"]:
            output.say(f"             {_job(job)}")


def _job(job: dict[str, Any]) -> str:
    if job["running"]:
        return f"{job['job']}: running"
    if job["error"]:
        error = output.line(job["error"])
        return f"{job['job']}: failed {job['failures']} times, again in {job['again_in_seconds']} s: {error}"
    return f"{job['job']}: {job['last'] or 'nothing to do so far'}"


def _span(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"
