"""``hearth install-service``: the daemon as a service of the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from hearth.app import Settings
from hearth.cli import output
from hearth.cli.session import CommandSession, pass_session
from hearth.config import vault_names
from hearth.core import paths
from hearth.core.errors import Unavailable, UsageError
from hearth.core.files import write_atomically
from hearth.core.lazy import dataclass
from hearth.daemon import services
from hearth.daemon.client import end
from hearth.daemon.stub.address import address

_SECONDS = 30


@click.command("install-service")
@click.option("--enable", is_flag=True, help="Start it now, and with every session.")
@click.option("--remove", is_flag=True, help="Stop it and remove its files.")
@pass_session
def install_service(session: CommandSession, enable: bool, remove: bool) -> None:
    """Let the system run the daemon, and look at the folders once a day.

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
        output.say(f"the daemon that ran was {ended}")
    for command in (*system.enable, *(system.again if ended is not None else ())):
        _run(command)
    output.say("the daemon runs now and with every session; see: hearth daemon status")


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
    files = services.systemd(sys.executable, _environ(chosen), vault_names(chosen.loaded.config))
    units = (services.DAEMON, services.TIMER)
    return System(
        folder,
        files,
        tuple(files),
        (("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", *units)),
        (("systemctl", "--user", "disable", "--now", *units),),
        (("systemctl", "--user", "daemon-reload"),),
        again=(("systemctl", "--user", "restart", services.DAEMON),),
    )


def _launchd(chosen: Settings) -> System:
    _require("launchctl", "launchd")
    folder = Path(paths.home(os.environ), "Library", "LaunchAgents")
    files = services.launchd(sys.executable, _environ(chosen), vault_names(chosen.loaded.config))
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
        said = (done.stderr or done.stdout).strip() if done.returncode else None
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    if said is None or quiet:
        return
    if not tolerant:
        raise Unavailable(f"{' '.join(command)} failed: {said}; the files are written, try that command by hand")
    output.warn(f"{' '.join(command)} failed: {said}")
