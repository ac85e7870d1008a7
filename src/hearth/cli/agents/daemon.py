"""``hearth daemon``, and the files by which systemd and launchd start it."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hearth.app import Settings
from hearth.cli import options, output, served
from hearth.cli.model_service import join_words, quote
from hearth.cli.session import CommandSession, pass_session
from hearth.config import vault_names
from hearth.core import paths
from hearth.core.errors import Unavailable, UsageError
from hearth.core.files import write_atomically
from hearth.core.lazy import dataclass
from hearth.daemon.address import Address, address
from hearth.daemon.client import ask, begin, end
from hearth.daemon.run import Start, running
from hearth.daemon.run import run as serve
from hearth.daemon.stub.call import build
from hearth.daemon.stub.start import ALLOCATOR, newer

DAEMON = "hearth.service"
EMBED = "hearth-embed.service"
TIMER = "hearth-embed.timer"
AGENT = "io.hearth.daemon"
EMBED_AGENT = "io.hearth.embed"
# Without -P, files of the working folder would stand in for the library's modules.
_MODULE = ("-P", "-m", "hearth")
# When the machine is likely on and not at work.
_HOUR = 13


def systemd(python: str, environ: Mapping[str, str], vaults: Sequence[str]) -> dict[str, str]:
    """Unit file -> text, per systemd.service(5), systemd.timer(5) and systemd.exec(5)."""
    settings = "".join(f"Environment={quote(f'{name}={value}')}\n" for name, value in sorted(environ.items()))
    serve = join_words([python, *_MODULE, "daemon", "run", "--stay"])
    embeds = "".join(f"ExecStart={join_words([python, *_MODULE, '--vault', v, 'update', '--embed'])}\n" for v in vaults)
    return {
        DAEMON: (
            "[Unit]\nDescription=Hearth, memory for AI agents\n\n"
            f"[Service]\nExecStart={serve}\n{settings}Restart=on-failure\nRestartSec=5\nTimeoutStopSec=20\n\n"
            "[Install]\nWantedBy=default.target\n"
        ),
        EMBED: (
            "[Unit]\nDescription=Hearth, notes and vectors that are new\n\n"
            f"[Service]\nType=oneshot\n{embeds}{settings}Nice=15\n"
        ),
        TIMER: (
            "[Unit]\nDescription=Hearth, notes and vectors that are new, once a day\n\n"
            "[Timer]\nOnCalendar=daily\nRandomizedDelaySec=1h\nPersistent=true\n\n"
            "[Install]\nWantedBy=timers.target\n"
        ),
    }


def launchd(python: str, environ: Mapping[str, str], vaults: Sequence[str]) -> dict[str, str]:
    """Property list file -> text, per launchd.plist(5). One job runs one command, so each vault has its own."""
    shared = {"EnvironmentVariables": dict(environ), "ProcessType": "Background"}
    agents = {
        AGENT: {
            "ProgramArguments": [python, *_MODULE, "daemon", "run", "--stay"],
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
        }
    }
    for vault in vaults:
        agents[f"{EMBED_AGENT}.{vault}"] = {
            "ProgramArguments": [python, *_MODULE, "--vault", vault, "update", "--embed"],
            "StartCalendarInterval": {"Hour": _HOUR, "Minute": 0},
            "Nice": 15,
        }
    return {
        f"{label}.plist": plistlib.dumps({"Label": label, **agent, **shared}).decode("utf-8")
        for label, agent in agents.items()
    }


@click.group(no_args_is_help=True)
def daemon() -> None:
    """Start, stop and inspect the daemon behind the hooks."""


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
    """Stop the daemon, by force if it hangs."""
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
        raise Unavailable(f"{holder} is the daemon but does not answer; run: hearth daemon stop")
    else:
        mode = session.settings().loaded.config.daemon.mode
        why = "the next hook starts one" if mode == "auto" else f"daemon.mode is {mode}"
        output.say(f"no daemon is running ({why})")


@daemon.command("address")
@click.option(
    "--start",
    "starts",
    is_flag=True,
    help="Start the daemon first, or replace an older one, unless daemon.mode forbids it.",
)
@options.json_flag
@pass_session
def show_address(session: CommandSession, starts: bool, as_json: bool) -> None:
    """Show the daemon's socket, and what a request must contain."""
    _refuse_vault(session)
    at = _address()
    if starts and session.settings().loaded.config.daemon.mode == "auto":
        there = ask(at, "status")
        if there is not None and newer(build(), str(there.get("build"))):
            end(at)
        begin(at, os.environ)
    if as_json:
        output.say_json({"socket": at.socket, "version": build(), "hash": at.agreement})
    else:
        output.say(f"socket       {at.socket}\nversion      {build()}\nhash         {at.agreement}")


@daemon.command("run")
@click.option("--stay", is_flag=True, help="Keep running when idle.")
@pass_session
def run(session: CommandSession, stay: bool) -> None:
    """Run the daemon in the foreground until stopped."""
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
        output.say("settings     different from those here, so hooks here run without it; run: hearth daemon stop")
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


_SECONDS = 30


@click.command("install-service")
@click.option("--enable", is_flag=True, help="Start it now and at every login.")
@click.option("--remove", is_flag=True, help="Stop it and remove its files.")
@pass_session
def install_service(session: CommandSession, enable: bool, remove: bool) -> None:
    """Run the daemon as a system service, and scan folders daily.

    Writes user units for systemd, or agents for launchd; with --enable they run. Hooks need none of this: they start
    the daemon by themselves."""
    if enable and remove:
        raise UsageError("choose one of --enable and --remove")
    chosen = session.settings()
    system = system_of(chosen)
    if remove:
        take_out(system)
        return
    for name, text in system.files.items():
        write_atomically(system.folder / name, text.encode("utf-8"))
        output.say(f"wrote {system.folder / name}")
    if not enable:
        output.say("to run it: hearth install-service --enable")
        return
    for command in system.before:
        _run(command, quiet=True)
    # It would keep the lock, and the service would fail until it is idle.
    ended = end(address(chosen.environ))
    if ended is not None:
        output.say(f"the running daemon was {ended}")
    for command in (*system.enable, *(system.again if ended is not None else ())):
        _run(command)
    output.say("the daemon is running and starts at every login; see: hearth daemon status")


@dataclass(frozen=True)
class System:
    """``files`` by name in ``folder``; ``former`` are the names that may lie there from an earlier time. ``before``
    may fail where nothing was enabled yet; ``again`` is for a service whose daemon was just ended under it."""

    folder: Path
    files: dict[str, str]
    former: tuple[str, ...]
    enable: tuple[tuple[str, ...], ...]
    disable: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    again: tuple[tuple[str, ...], ...] = ()

    def there(self) -> list[Path]:
        """The files of ours that lie there."""
        return [self.folder / name for name in self.former if (self.folder / name).exists()]


def system_of(chosen: Settings) -> System:
    """Raises ``Unavailable`` where there is neither systemd nor launchd."""
    return _launchd(chosen) if sys.platform == "darwin" else _systemd(chosen)


def take_out(system: System) -> None:
    """Stops what runs and removes its files."""
    there = system.there()
    if not there:
        output.say(f"nothing to remove in {system.folder}")
        return
    for command in system.disable:
        _run(command, tolerant=True)
    for path in there:
        path.unlink()
        output.say(f"removed {path}")
    for command in system.after:
        _run(command, tolerant=True)


def _systemd(chosen: Settings) -> System:
    _require("systemctl", "systemd")
    home = paths.home(os.environ)
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base if base.startswith("/") else f"{home}/.config", "systemd", "user")
    files = systemd(sys.executable, {**ALLOCATOR, **_environ(chosen)}, vault_names(chosen.loaded.config))
    units = (DAEMON, TIMER)
    return System(
        folder,
        files,
        tuple(files),
        (("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", *units)),
        (("systemctl", "--user", "disable", "--now", *units),),
        (("systemctl", "--user", "daemon-reload"),),
        again=(("systemctl", "--user", "restart", DAEMON),),
    )


def _launchd(chosen: Settings) -> System:
    _require("launchctl", "launchd")
    folder = Path(paths.home(os.environ), "Library", "LaunchAgents")
    files = launchd(sys.executable, _environ(chosen), vault_names(chosen.loaded.config))
    former = sorted({*files, *(path.name for path in folder.glob("io.hearth.*.plist"))})
    domain = f"gui/{os.getuid()}"
    bootout = tuple(("launchctl", "bootout", f"{domain}/{name.removesuffix('.plist')}") for name in former)
    return System(
        folder,
        files,
        tuple(former),
        tuple(("launchctl", "bootstrap", domain, str(folder / name)) for name in files),
        bootout,
        before=bootout,
    )


def _require(program: str, system: str) -> None:
    if shutil.which(program) is None:
        otherwise = "hooks start the daemon by themselves, or run: hearth daemon run"
        raise Unavailable(f"{system} is not here (no {program}); {otherwise}")


def _environ(chosen: Settings) -> dict[str, str]:
    """A service does not see the shell's variables, so the folders are named."""
    return {paths.variable(name): getattr(chosen.folders, name) for name in paths.NAMES}


def _run(command: Sequence[str], *, tolerant: bool = False, quiet: bool = False) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        message = (done.stderr or done.stdout).strip() if done.returncode else None
    except (OSError, subprocess.TimeoutExpired) as error:
        message = str(error)
    if message is None or quiet:
        return
    if not tolerant:
        raise Unavailable(f"{' '.join(command)} failed: {message}; the files are written; run that command yourself")
    output.warn(f"{' '.join(command)} failed: {message}")
