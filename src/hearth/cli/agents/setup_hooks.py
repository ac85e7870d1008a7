"""Hooks in a host's settings, for ``hearth setup``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hearth import hosts
from hearth.app import Settings
from hearth.cli.agents import launcher, setup_plugins
from hearth.cli.agents.launcher import is_foreign, is_ours_alone, report
from hearth.cli.agents.setup_model import CaptureModel, choose
from hearth.cli.session import CommandSession
from hearth.core.errors import HearthError, UsageError
from hearth.core.lazy import dataclass
from hearth.hosts import Host
from hearth.hosts.clients import CLIENTS
from hearth.hosts.command import Launcher, is_ours
from hearth.settings_files import hooks
from hearth.settings_files.file import Edits, install, remove
from hearth.settings_files.hooks import Layout, Wanted
from hearth.settings_files.jsonc import parse

PLUGIN = "hearth@"
_BRIEFING = "session-bootstrap"


@dataclass(frozen=True, slots=True)
class HookSetup:
    """What ``hearth setup HOST`` is asked to do; ``bootstrap`` is ``None`` to leave the briefing as it is,
    ``capture_model`` to offer the agent's own model once."""

    host: str
    bootstrap: bool | None
    remove: bool
    dry_run: bool
    project: bool
    capture_model: CaptureModel | None = None


def carry_out(session: CommandSession, wish: HookSetup, *, as_json: bool) -> None:
    """Raises ``ConfigError`` for broken settings, which stay as they are, ``UsageError`` and ``Unavailable``."""
    if wish.remove and wish.capture_model is not None:
        raise UsageError("--capture-model goes with installing hooks, not with --remove")
    settings = session.settings()
    host = hosts.host(wish.host)
    file = file_of(host, settings, project=wish.project)
    program = launcher.launcher(_variables(session, settings))
    found = edits(host, _briefs(host, file) if wish.bootstrap is None else wish.bootstrap, str(file), program)
    lock = launcher.lock(settings)
    if wish.remove:
        change = remove(file, found, lock, dry_run=wish.dry_run)
        done, notes = f"hooks removed from {host.title}", list(_list_left(host, settings, file))
        notes += _server_removed(host, settings, wish)
    else:
        can_ask = not (as_json or wish.dry_run)
        model = list(choose(session, host, wish.capture_model, dry_run=wish.dry_run, can_ask=can_ask))
        change = install(file, found, lock, private=not wish.project, dry_run=wish.dry_run)
        done, notes = f"hooks installed in {host.title}", [*_advice(host, settings, file, wish), *model]
    report(change, done, notes, dry_run=wish.dry_run, as_json=as_json)


def _server_removed(host: Host, settings: Settings, wish: HookSetup) -> Iterator[str]:
    """The MCP server goes with the hooks: who disconnects an agent disconnects it whole."""
    known = CLIENTS.get(host.name)
    if known is None or (wish.project and known.project is None):
        return
    file = setup_plugins.file_of(known, settings, project=wish.project)
    found = setup_plugins.edits(known, known.entry(launcher.server(), {}), str(file))
    change = remove(file, found, launcher.lock(settings), dry_run=wish.dry_run)
    if change.changed:
        yield f"MCP server {'to be ' if wish.dry_run else ''}removed from {known.title}, too: {change.file}"


def _briefs(host: Host, file: Path) -> bool:
    """Whether to install the briefing: at first, and where it is there already; who left it out has to ask for it."""
    return not holds_ours(file, layout(host)) or _BRIEFING in file.read_text(encoding="utf-8-sig")


def _variables(session: CommandSession, settings: Settings) -> dict[str, str]:
    vault = launcher.vault(session, settings)
    return launcher.variables(settings) | ({"HEARTH_VAULT": vault} if vault is not None else {})


def edits(host: Host, bootstrap: bool, place: str, program: Launcher) -> Edits:
    """All that can be done to a settings file of this host, which errors name ``place``."""
    look = layout(host)
    puts = {
        choice: partial(_edit, wanted=wanted(host, program, bootstrap=choice), look=look, place=place)
        for choice in (False, True)
    }
    strip = partial(_edit, wanted=[], look=look, place=place)
    foreign, blank = partial(is_foreign, look=look, place=place), partial(_blank, look=look, place=place)
    alone = partial(is_ours_alone, look=look, place=place)
    return Edits(puts[bootstrap], strip, tuple(puts.values()), foreign, blank, alone)


def layout(host: Host) -> Layout:
    return Layout(is_ours, grouped=host.grouped, head={} if host.grouped else {"version": 1})


def wanted(host: Host, program: Launcher, *, bootstrap: bool) -> list[Wanted]:
    return [
        Wanted(item.event, item.matcher, host.handler(item, program))
        for item in host.registrations
        if bootstrap or not item.bootstrap
    ]


def _edit(text: str, *, wanted: list[Wanted], look: Layout, place: str) -> str:
    return hooks.edited(text, wanted, look, place)


def _blank(text: str, *, look: Layout, place: str) -> bool:
    return hooks.is_blank(text, look, place)


def file_of(host: Host, settings: Settings, *, project: bool) -> Path:
    if project:
        return Path(host.project_settings(launcher.project(settings)))
    return Path(host.settings(launcher.home(settings), settings.environ))


def _advice(host: Host, settings: Settings, file: Path, wish: HookSetup) -> Iterator[str]:
    if host.name == "codex":
        yield "Codex runs no hook that you have not approved: start codex, type /hooks, and approve those of Hearth"
    if wish.project:
        yield f"{file.name} contains paths of this machine: keep it out of git"
    chosen = settings.loaded.config.capture
    if chosen.mode != "off" and chosen.conversations:
        yield "conversations are kept as notes of yours; to keep none: hearth config set capture.conversations false"
    yield from _twice(host, settings, file)
    if not settings.vault.collections:
        yield "this vault holds no notes yet; next: hearth bootstrap PATH, with the folder of your notes"


def _list_left(host: Host, settings: Settings, file: Path) -> Iterator[str]:
    for other in _install(host, settings, file):
        yield f"hooks of Hearth are still in {other}"
    if plugin := _plugin(host, settings):
        yield f"the plugin {plugin} is still enabled; remove it with: {_uninstall(host, plugin)}"


def _twice(host: Host, settings: Settings, file: Path) -> Iterator[str]:
    """Every place from which this host would run the hooks a second time."""
    if plugin := _plugin(host, settings):
        yield (
            f"the plugin {plugin} is enabled, too, so each hook runs twice; keep one: "
            f"{_uninstall(host, plugin)}, or hearth setup {host.name} --remove"
        )
    for other in _install(host, settings, file):
        yield f"the hooks are installed in {other}, too; where both apply a hook may run twice: keep one"


def _install(host: Host, settings: Settings, file: Path) -> Iterator[Path]:
    """The other settings that this host reads here and that hold hooks of ours. Cursor reads Claude Code's, too."""
    home = launcher.home(settings)
    readers = [host, hosts.host("claude-code")] if host.name == "cursor" else [host]
    places = {reader.settings(home, settings.environ): reader for reader in readers}
    try:
        root = launcher.project(settings)
    except (HearthError, OSError):  # not in a project
        root = None
    places |= {reader.project_settings(root): reader for reader in readers if root is not None}
    if root is not None and any(reader.name == "claude-code" for reader in readers):
        places[f"{root}/.claude/settings.json"] = hosts.host("claude-code")
    for place, reader in places.items():
        if Path(place) != file and holds_ours(Path(place), layout(reader)):
            yield Path(place)


def holds_ours(file: Path, look: Layout) -> bool:
    try:
        return hooks.holds_ours(file.read_text(encoding="utf-8-sig"), look, str(file))
    except (OSError, ValueError, HearthError):  # it is not what we were asked to change
        return False


def _plugin(host: Host, settings: Settings) -> str | None:
    """The plugin of Hearth that the user's settings of this host have enabled."""
    folder = Path(host.settings(launcher.home(settings), settings.environ)).parent
    try:
        if host.name == "claude-code":
            enabled = _json(folder / "settings.json").get("enabledPlugins")
        elif host.name == "codex":
            found = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8")).get("plugins")
            enabled = {name: item.get("enabled", True) for name, item in (found or {}).items()}
        else:
            return None
    except (OSError, ValueError, AttributeError, HearthError):  # not what we were asked to change
        return None
    names = enabled if isinstance(enabled, dict) else {}
    return next((name for name, on in names.items() if name.startswith(PLUGIN) and on is True), None)


def _json(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = parse(file.read_text(encoding="utf-8-sig"), str(file), ()).value
    return found


def _uninstall(host: Host, plugin: str) -> str:
    return f"codex plugin remove {plugin}" if host.name == "codex" else f"claude plugin uninstall {plugin}"
