"""``hearth setup opencode`` and ``hermes``: our plugins in hosts that load files instead of running hooks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

import hearth
from hearth import hosts
from hearth.app import Settings
from hearth.cli import options, output
from hearth.cli.agents import launcher, setup_servers
from hearth.cli.session import CommandSession, pass_session
from hearth.core.errors import Unavailable
from hearth.hosts.clients import CLIENTS
from hearth.settings_files.file import BACKUP, Edits, install, remove

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
    file = setup_servers.file_of(known, settings, project=False)
    yield file, setup_servers.edits(known, known.entry(launcher.server(), {}), str(file))


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
    return Edits(put, strip, (put,), setup_servers.is_unknown, lambda text: not text.strip())


def _is_ours(provider: Any) -> bool:
    return bool(provider == "hearth")
