"""Where Hearth is installed, which settings are meant, and what ``hearth setup`` reports about a change."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import hearth
from hearth.app import Settings
from hearth.cli import output
from hearth.cli.session import CommandSession
from hearth.config.load import variables as setting_variables
from hearth.core import paths
from hearth.core.errors import ConfigError, Unavailable, UsageError
from hearth.guard.secrets.redaction import redact
from hearth.hosts.clients import CLIENTS, NAME
from hearth.hosts.command import Launcher, is_our_server, is_ours
from hearth.settings_files import hooks, servers
from hearth.settings_files.file import FileChange
from hearth.settings_files.hooks import Layout


def lock(settings: Settings) -> Path:
    return Path(settings.folders.state, "setup.lock")


def home(settings: Settings) -> str:
    return paths.home(settings.environ)


def variables(settings: Settings) -> dict[str, str]:
    """What the environment says of Hearth's folders and settings: what starts later may not have it. Never a secret:
    settings name the variables that hold keys."""
    names = {*map(paths.variable, paths.NAMES), *setting_variables()}
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


def integration(path: str, what: str) -> Path:
    """A file or folder of ``integrations``, inside the package or in the source tree around it. Raises
    ``Unavailable``."""
    package = Path(hearth.__file__).resolve().parent
    for folder in (package, package.parents[1]):
        if (found := folder / "integrations" / path).exists():
            return found
    raise Unavailable(f"{what} is missing beside {package}; install Hearth again")


def report(change: FileChange, done: str, notes: Sequence[str], *, dry_run: bool, as_json: bool) -> None:
    """``done`` is the sentence for a change that was made; ``notes`` are what people have to know or do besides."""
    if as_json:
        output.say_json(_fields(change, notes, dry_run))
        return
    if dry_run:
        output.say(
            output.clean(difference(change)).rstrip("\n") if change.changed else f"{change.file} would stay as it is"
        )
    elif change.changed:
        output.say(f"{done}: {change.file}{'' if change.after is not None else ' (deleted, nothing was left in it)'}")
        if change.backup is not None:
            output.say(f"settings before Hearth: {change.backup}")
    else:
        output.say(f"nothing to change in {change.file}")
    for text in notes:
        output.note(text)


def _fields(change: FileChange, notes: Sequence[str], dry_run: bool) -> dict[str, Any]:
    return {
        "file": str(change.file),
        "changed": change.changed,
        "dry_run": dry_run,
        "backup": None if change.backup is None else str(change.backup),
        "diff": difference(change),
        "notes": list(notes),
    }


def difference(change: FileChange) -> str:
    """A unified diff without the secrets that settings may hold."""
    old, new = ((text or "").splitlines(keepends=True) for text in (change.before, change.after))
    source, target = ("/dev/null" if text is None else str(change.file) for text in (change.before, change.after))
    lines = difflib.unified_diff(old, new, source, target)
    return redact(
        "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    ).text


_TABLES = tuple(dict.fromkeys(item.key for item in CLIENTS.values() if item.kind == "json"))


def is_foreign(text: str, *, look: Layout, place: str) -> bool:
    """Hooks and servers may stand in one file, whose backup is of the time before either."""
    if any(servers.holds_ours(text, (table, NAME), is_our_server, place) for table in _TABLES):
        return False
    try:
        return not hooks.holds_ours(text, Layout(is_ours, look.grouped), place)
    except ConfigError:  # hooks of another shape than ours
        return True


def is_ours_alone(text: str, *, look: Layout, place: str) -> bool:
    """Whether nothing is left without our hooks and servers."""
    try:
        text = hooks.edited(text, [], Layout(is_ours, look.grouped, look.head), place)
        for table in _TABLES:
            text = servers.edited(text, (table, NAME), None, is_our_server, place)
        return hooks.is_blank(text, look, place)
    except ConfigError:  # of another shape than ours
        return False
