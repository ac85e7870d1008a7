"""The MCP server in a client's settings, for ``hearth setup mcp``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hearth.app import Settings
from hearth.cli import output
from hearth.cli.agents import launcher
from hearth.cli.agents.launcher import is_foreign, is_ours_alone, report
from hearth.cli.session import CommandSession
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.hosts.clients import NAME, Client, client
from hearth.hosts.command import is_our_server, is_ours
from hearth.settings_files import servers
from hearth.settings_files.file import Edits, install, remove
from hearth.settings_files.hooks import Layout


@dataclass(frozen=True, slots=True)
class ServerSetup:
    """What ``hearth setup mcp`` is asked to do."""

    client: str
    remove: bool
    dry_run: bool
    project: bool
    profile: str | None = None


def carry_out(session: CommandSession, wish: ServerSetup, *, as_json: bool) -> None:
    """Raises ``ConfigError`` for broken settings and ``Conflict`` for a server of others with our name; the settings
    then stay as they are."""
    settings = session.settings()
    vault = launcher.vault(session, settings)
    command = [*launcher.server(), *(["--vault", vault] if vault is not None else [])]
    command += ["--profile", wish.profile] if wish.profile is not None else []
    if wish.client == "json":
        _paste(command, settings, wish)
        return
    chosen = client(wish.client)
    file = file_of(chosen, settings, project=wish.project)
    found = edits(chosen, chosen.entry(command, launcher.variables(settings)), str(file))
    lock = launcher.lock(settings)
    if wish.remove:
        change = remove(file, found, lock, dry_run=wish.dry_run)
        done, notes = f"MCP server removed from {chosen.title}", []
    else:
        change = install(file, found, lock, private=not wish.project, dry_run=wish.dry_run)
        done, notes = f"MCP server registered in {chosen.title}", list(_advice(chosen, file, wish))
    report(change, done, notes, dry_run=wish.dry_run, as_json=as_json)


def edits(chosen: Client, entry: dict[str, Any], place: str) -> Edits:
    """All that can be done to a settings file of this client, which errors name ``place``."""
    edited = _how(chosen.kind)
    path = (chosen.key, NAME)
    put = partial(_edit, how=edited, path=path, entry=entry, place=place)
    strip = partial(_edit, how=edited, path=path, entry=None, place=place)
    foreign = (
        partial(is_foreign, look=Layout(is_ours), place=place)
        if chosen.kind == "json"
        else is_unknown
        if chosen.kind == "yaml"
        else lambda text: strip(text) == text
    )
    blank = partial(_blank, kind=chosen.kind, place=place)
    alone = (
        partial(is_ours_alone, look=Layout(is_ours), place=place)
        if chosen.kind == "json"
        else lambda text: blank(strip(text))
    )
    return Edits(put, strip, (put,), foreign, blank, alone)


def is_unknown(text: str) -> bool:
    """Whether nothing in a file can be ours: a server and a memory provider may stand in one, each with our name."""
    return NAME not in text


def _how(kind: str) -> Callable[..., str]:
    """tomlkit takes 20 ms to load: only where there is TOML to edit."""
    if kind == "json":
        return servers.edited
    from hearth.settings_files import toml, yaml

    return toml.edited if kind == "toml" else yaml.edited


def _edit(
    text: str, *, how: Callable[..., str], path: tuple[str, str], entry: dict[str, Any] | None, place: str
) -> str:
    return how(text, path, entry, is_our_server, place)


def _blank(text: str, *, kind: str, place: str) -> bool:
    return servers.is_blank(text, place) if kind == "json" else not text.strip()


def file_of(chosen: Client, settings: Settings, *, project: bool) -> Path:
    if not project:
        return Path(chosen.file(launcher.home(settings), settings.environ, sys.platform))
    if chosen.project is None:
        raise UsageError(f"{chosen.title} has no settings for a project; run this without --project")
    return Path(launcher.project(settings), chosen.project)


def _advice(chosen: Client, file: Path, wish: ServerSetup) -> Iterator[str]:
    yield f"{chosen.title} reads its servers when it starts: restart it if it is running"
    if wish.project:
        yield f"{file.name} contains paths of this machine: keep it out of git"


def _paste(command: list[str], settings: Settings, wish: ServerSetup) -> None:
    if wish.remove or wish.project:
        raise UsageError("--client json only prints an entry; there is nothing to remove, and no project")
    entry = Client("json", "", lambda home, environ, platform: "", None).entry(command, launcher.variables(settings))
    output.say_json({"mcpServers": {NAME: entry}})
