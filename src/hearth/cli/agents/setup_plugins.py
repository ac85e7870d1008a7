"""The MCP server in a client's settings, for ``hearth setup mcp``. Our plugins in hosts that load files instead of
running hooks, for ``hearth setup opencode`` and ``hermes``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

import hearth
from hearth import hosts
from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.agents import launcher
from hearth.cli.agents.launcher import is_foreign, is_ours_alone, report
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import Unavailable, UsageError
from hearth.core.lazy import dataclass
from hearth.hosts.clients import CLIENTS, NAME, Client, client
from hearth.hosts.command import is_our_server, is_ours
from hearth.settings_files import servers
from hearth.settings_files.file import BACKUP, Edits, install, remove
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


_PROVIDER = ("memory", "provider")
_MARK = "Written by `hearth setup"
_OPENCODE = """\
// Written by `hearth setup opencode`; `hearth setup opencode --remove` deletes it.
import {{ connect }} from {program}

export const Hearth = connect({settings})
"""
_HERMES = '''\
"""Written by `hearth setup hermes`; `hearth setup hermes --remove` deletes it."""

import importlib.util
import json

_spec = importlib.util.spec_from_file_location("hearth_provider", {program})
_provider = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_provider)


def register(ctx):
    ctx.register_memory_provider(_provider.Hearth(json.loads({settings})))
'''
_MANIFEST = """\
# Written by `hearth setup hermes`; `hearth setup hermes --remove` deletes it.
name: hearth
version: 0.1.0
description: "Hearth: local notes and what earlier sessions decided"
hooks:
  - on_session_end
"""
_NOTES = {
    "opencode": "restart OpenCode, so that it loads the plugin",
    "hermes": "restart Hermes, so that it loads the memory provider",
}


def add_commands(group: click.Group) -> None:
    for name in _NOTES:
        group.add_command(_command(name))


def _command(name: str) -> click.Command:
    title = hosts.dialect(name).title
    text = f"Install the plugin in {title}."

    @click.command(name, help=text, short_help=text)
    @click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
    @click.option("--remove", "removes", is_flag=True, help="Remove what this command installed.")
    @options.json_flag
    @pass_session
    def command(session: CommandSession, dry_run: bool, removes: bool, as_json: bool) -> None:
        settings = session.settings()
        lock = launcher.lock(settings)
        found = list(places(name, settings, launcher.vault(session, settings)))
        if removes:
            found += list(_server(name, settings))
        act = remove if removes else install
        for file, edits in found:
            change = act(file, edits, lock, dry_run=dry_run)
            done = f"{'removed from' if removes else 'installed in'} {title}"
            launcher.report(change, done, [], dry_run=dry_run, as_json=as_json)
        if not (dry_run or as_json):
            output.note(_NOTES[name])

    return command


def places(name: str, settings: Settings, vault: str | None) -> Iterator[tuple[Path, Edits]]:
    """The files of a host that hold something of ours, and what can be done to each."""
    file = Path(hosts.dialect(name).settings(launcher.home(settings), settings.environ))
    program = launcher.launcher(launcher.variables(settings) | ({"HEARTH_VAULT": vault} if vault is not None else {}))
    given = {"python": program.python, "stub": program.stub, "env": dict(program.variables)}
    if name == "opencode":
        source = json.dumps((_folder(name) / "hearth.js").as_uri())
        yield file, _whole(_OPENCODE.format(program=source, settings=json.dumps(given, indent=2)))
        return
    yield file, _provider(file)
    folder = file.parent / "plugins" / "hearth"
    source = repr(str(_folder(name) / "provider.py"))
    yield folder / "plugin.yaml", _whole(_MANIFEST)
    yield folder / "__init__.py", _whole(_HERMES.format(program=source, settings=repr(json.dumps(given))))


def _server(name: str, settings: Settings) -> Iterator[tuple[Path, Edits]]:
    """The MCP server goes with the plugin: who disconnects an agent disconnects it whole."""
    known = CLIENTS[name]
    file = file_of(known, settings, project=False)
    yield file, edits(known, known.entry(launcher.server(), {}), str(file))


def _folder(name: str) -> Path:
    """A plugin's folder, inside the package or in the source tree around it. Raises ``Unavailable``."""
    package = Path(hearth.__file__).resolve().parent
    for around in (package, package.parents[1]):
        if (found := around / "integrations" / name).is_dir():
            return found
    raise Unavailable(f"the plugin for {hosts.dialect(name).title} is missing beside {package}; install Hearth again")


def _whole(text: str) -> Edits:
    """A file that is ours from beginning to end; one of somebody else is kept beside it."""
    return Edits(
        put=lambda present: text,
        strip=lambda present: "" if _MARK in present else present,
        puts=(lambda present: text,),
        is_foreign=lambda present: bool(present) and _MARK not in present,
        is_blank=lambda present: not present.strip(),
        is_ours_alone=lambda present: _MARK in present,
    )


def _provider(file: Path) -> Edits:
    """The line that makes Hearth the memory of Hermes. Hermes itself writes an empty one, which comes back."""

    def edit(text: str, entry: str | None) -> str:
        from hearth.settings_files import yaml

        return yaml.edited(text, _PROVIDER, entry, _is_ours, str(file))

    def strip(text: str) -> str:
        from hearth.settings_files import yaml

        if not _is_ours(yaml.value_at(text, _PROVIDER, str(file))):
            return text
        backup = Path(f"{file.resolve()}{BACKUP}")
        former = yaml.value_at(backup.read_text("utf-8"), _PROVIDER, str(backup)) if backup.exists() else None
        return edit(text, former if former == "" else None)

    put = partial(edit, entry="hearth")
    return Edits(put, strip, (put,), is_unknown, lambda text: not text.strip())


def _is_ours(provider: Any) -> bool:
    return bool(provider == "hearth")
