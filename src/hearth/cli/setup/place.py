"""Where Hearth is installed and which settings are meant, for ``hearth setup``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import hearth
from hearth import paths
from hearth.app import Settings
from hearth.cli.session import CommandSession
from hearth.config import sources
from hearth.errors import Unavailable, UsageError
from hearth.hosts.command import Launcher


def lock(settings: Settings) -> Path:
    return Path(settings.folders.state, "setup.lock")


def home(settings: Settings) -> str:
    return paths.home(settings.environ)


def variables(settings: Settings) -> dict[str, str]:
    """What the environment says of Hearth's folders and settings: what starts later may not have it. Never a secret:
    settings name the variables that hold keys."""
    names = {*map(paths.variable, paths.NAMES), *sources.variables()}
    return {name: value for name in sorted(names) if (value := settings.environ.get(name))}


def vault(session: CommandSession, settings: Settings) -> str | None:
    """The vault that was named. One that is only the working folder's is not: later it is that of another project."""
    named = session.vault_name or settings.environ.get("HEARTH_VAULT") or None
    return settings.vault.name if named is not None else None


def launcher(variables: Mapping[str, str] | None = None) -> Launcher:
    """This Python and the stub of this Hearth. Raises ``Unavailable`` where there is no stub to run."""
    stub = Path(hearth.__file__).resolve().with_name("stub.py")
    if not stub.is_file():
        raise Unavailable(f"{stub} is missing, so no hook can run; install Hearth again")
    return Launcher(interpreter(), str(stub), variables or {})


def interpreter() -> str:
    """The plainest name of this Python, so that it is the same whichever of its names started us."""
    running = Path(sys.executable)
    for name in ("python", "python3"):
        plain = running.with_name(name)
        if plain.exists() and plain.samefile(running):
            return str(plain)
    return str(running)


def server() -> list[str]:
    """The command of the MCP server, by absolute names. ``-P``: clients start it in a project, whose files are not to
    stand in for the library's modules."""
    script = Path(sys.executable).with_name("hearth")
    return [str(script), "mcp"] if script.is_file() else [interpreter(), "-P", "-m", "hearth", "mcp"]


def project(settings: Settings) -> str:
    """The folder of the project around the working folder. Raises ``UsageError`` in the home folder, whose settings are
    the user's own."""
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    if str(root) in (home(settings), "/"):
        raise UsageError(f"{root} is no project; run this inside one, or without --project")
    return str(root)
