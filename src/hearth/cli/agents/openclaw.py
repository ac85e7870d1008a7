"""``hearth setup openclaw``: the plugin in OpenClaw's settings and its memory slot, or all as it was before."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

import hearth
from hearth import hosts
from hearth.app import Settings
from hearth.cli import options
from hearth.cli.agents import launcher
from hearth.cli.session import CommandSession, is_terminal, pass_session
from hearth.core.errors import ConfigError, Conflict, Unavailable
from hearth.settings_files.file import BACKUP, Edits, install, remove
from hearth.settings_files.jsonc import JsonNode, added, parse, removed, replaced

ID = "hearth"
MANIFEST = "openclaw.plugin.json"
_PLUGINS = "plugins"
_SLOT = (_PLUGINS, "slots", "memory")
_ENTRY = (_PLUGINS, "entries", ID)
_PATHS = (_PLUGINS, "load", "paths")
_ALLOW = (_PLUGINS, "allow")
_CORE = "memory-core"
# Others that answer from a memory of their own; off only where somebody had switched them on.
_RIVALS = ("memory-lancedb", "active-memory")
_NOTES_HOOK = ("hooks", "internal", "entries", "session-memory", "enabled")
_NOBODY = (None, _CORE, "none", ID)
_MISSING: Any = object()

Path_ = tuple[str, ...]


@click.command("openclaw")
@click.option("--replace", is_flag=True, help="Take the memory slot from another plugin; --remove gives it back.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--remove", "removes", is_flag=True, help="Take out what this command puts in, and restore the slot.")
@options.json_flag
@pass_session
def setup_openclaw(session: CommandSession, replace: bool, dry_run: bool, removes: bool, as_json: bool) -> None:
    """Install the plugin in OpenClaw: recall, tools and capture in place of its own memory."""
    settings = session.settings()
    file = file_of(settings)
    named = launcher.vault(session, settings)
    edits = edits_of(file, entry(launcher.variables(settings), named))
    lock = launcher.lock(settings)
    if removes:
        change = remove(file, edits, lock, dry_run=dry_run)
        done, notes = "the plugin was taken out of OpenClaw", ["restart its gateway: openclaw gateway restart"]
    else:
        _check_slot(file, replace=replace, asks=not (dry_run or as_json))
        change = install(file, edits, lock, dry_run=dry_run)
        done, notes = "the plugin was installed in OpenClaw", list(_advice(file, settings))
    launcher.report(change, done, notes if change.changed else [], dry_run=dry_run, as_json=as_json)


def file_of(settings: Settings) -> Path:
    return Path(hosts.host("openclaw").settings(launcher.home(settings), settings.environ))


def plugin_folder() -> Path:
    """Where the plugin lies: beside the modules, or in the source that they are read from. Raises ``Unavailable``."""
    package = Path(hearth.__file__).resolve().parent
    for folder in (package, package.parents[1]):
        found = folder / "integrations" / "openclaw"
        if (found / MANIFEST).is_file():
            return found
    raise Unavailable(f"the plugin for OpenClaw is missing beside {package}; install Hearth again")


def tool_names() -> list[str]:
    """The tools that the plugin brings, by its manifest."""
    names: list[str] = json.loads((plugin_folder() / MANIFEST).read_bytes())["contracts"]["tools"]
    return names


def read(file: Path) -> dict[str, Any]:
    """The settings. Raises ``ConfigError`` and ``Unavailable``."""
    found: dict[str, Any] = _parse(_text(file) or "{}", str(file)).value
    return found


def entry(variables: Mapping[str, str], vault: str | None) -> dict[str, Any]:
    """What the settings say of the plugin; the switches let it see what is said and add what memory knows."""
    program = launcher.server()[:-1]
    config: dict[str, Any] = {"command": program}
    if variables:
        config["env"] = dict(variables)
    if vault is not None:
        config["vault"] = vault
    hooks = {"allowConversationAccess": True, "allowPromptInjection": True}
    return {"enabled": True, "hooks": hooks, "config": config}


def _check_slot(file: Path, *, replace: bool, asks: bool) -> None:
    """Raises ``Conflict`` where another plugin keeps the memory."""
    text = _text(file)
    owner = _value(_parse(text, str(file)).value, _SLOT) if text.strip() else None
    if owner in _NOBODY or owner is _MISSING or replace:
        return
    question = f"The plugin {owner} keeps OpenClaw's memory. Put Hearth in its place (--remove gives it back)?"
    if asks and sys.stdin.isatty() and is_terminal() and click.confirm(question, default=False):
        return
    raise Conflict(f"{file}: the plugin {owner} keeps the memory; nothing was changed; with --replace it makes room")


def _advice(file: Path, settings: Settings) -> Iterator[str]:
    yield "restart OpenClaw's gateway, so that it takes effect: openclaw gateway restart"
    yield "whether it reaches the model: hearth doctor openclaw --turn"
    if settings.loaded.config.daemon.mode != "auto":
        yield "daemon.mode keeps the daemon that the plugin asks from starting: hearth config set daemon.mode auto"
    denied = _value(_parse(_text(file) or "{}", str(file)).value, (_PLUGINS, "deny"))
    if isinstance(denied, list) and ID in denied:
        yield f"{file} denies the plugin {ID} (plugins.deny), so it won't run; take it off that list"


# -- the settings ---------------------------------------------------------------------------------------------------


def edits_of(file: Path, wanted: Mapping[str, Any]) -> Edits:
    """``wanted`` is the plugin's entry; what stood there before Hearth is read from the backup."""
    place = str(file)
    backup = _text(Path(f"{file.resolve()}{BACKUP}"))
    former = _parse(backup, place).value if backup.strip() else {}
    put = partial(_put, wanted=wanted, folder=str(plugin_folder()), place=place)
    return Edits(
        put,
        partial(_strip, former=former, place=place),
        (put,),
        lambda text: not _holds_ours(text, place),
        lambda text: bool(text.strip()) and "/" not in text and _parse(text, place).value == {},
    )


def _put(text: str, *, wanted: Mapping[str, Any], folder: str, place: str) -> str:
    """With the plugin; what people added to its entry stays. Raises ``ConfigError``."""
    text = text if text.strip() else "{}\n"
    root = _parse(text, place).value
    found = _value(root, _PATHS)
    paths = [one for one in found if not _is_ours(one)] if isinstance(found, list) else []
    text = _set(text, _PATHS, [*paths, folder], place)
    allowed = _value(root, _ALLOW)
    if isinstance(allowed, list) and ID not in allowed:
        text = _set(text, _ALLOW, [*allowed, ID], place)
    text = _set(text, _SLOT, ID, place)
    for name in (_CORE, *_RIVALS):
        switch = (_PLUGINS, "entries", name, "enabled")
        if name == _CORE or _value(root, switch) is True:
            text = _set(text, switch, False, place)
    if _value(root, _NOTES_HOOK) is True:
        text = _set(text, _NOTES_HOOK, False, place)
    return _set(text, _ENTRY, _merged(_value(root, _ENTRY), wanted), place)


def _strip(text: str, *, former: Mapping[str, Any], place: str) -> str:
    """Without the plugin: what it changed is as it was in the ``former`` settings."""
    if not _holds_ours(text, place):
        return text
    root = _parse(text, place).value
    for path in (_PATHS, _ALLOW):
        found, before = _value(root, path), _value(former, path)
        if isinstance(found, list):
            kept = before if isinstance(before, list) else []
            left = [one for one in found if one in kept or not (_is_ours(one) or one == ID)]
            text = _restore(text, path, former, place) if left == kept else _set(text, path, left, place)
    switches = [(_PLUGINS, "entries", name, "enabled") for name in (_CORE, *_RIVALS)]
    ours: dict[Path_, Any] = {_SLOT: ID, **dict.fromkeys(switches, False), _NOTES_HOOK: False}
    for changed, value in ours.items():
        if _value(root, changed) == value:
            text = _restore(text, changed, former, place)
    return _restore(text, _ENTRY, former, place)


def _holds_ours(text: str, place: str) -> bool:
    root = _parse(text, place).value if text.strip() else {}
    return _value(root, _ENTRY) is not _MISSING or _value(root, _SLOT) == ID


def _set(text: str, path: Path_, value: Any, place: str) -> str:
    """Raises ``ConfigError`` where something else than a table stands on the way."""
    node = _parse(text, place)
    for at, key in enumerate(path):
        if node.pairs is None:
            raise ConfigError(f"{place}: {'.'.join(path[:at])} is not a JSON object; correct it there")
        child = node.child(key)
        if child is None:
            for inner in reversed(path[at + 1 :]):
                value = {inner: value}
            return added(text, node, key, value)
        node = child
    return text if node.value == value else replaced(text, node, value)


def _restore(text: str, path: Path_, former: Mapping[str, Any], place: str) -> str:
    """A value as before Hearth; one that was not there goes, with the tables that held nothing else."""
    before = _value(former, path)
    if before is not _MISSING:
        return _set(text, path, before, place)
    while path:
        table = _node(_parse(text, place), path[:-1])
        if table is None or table.child(path[-1]) is None:
            return text
        text = removed(text, table, [pair.key for pair in table.pairs or ()].index(path[-1]))
        path = path[:-1]
        left = _node(_parse(text, place), path)
        if not path or left is None or left.value != {} or _value(former, path) is not _MISSING:
            return text
    return text


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"can't read {file}: {error}; nothing was changed") from error


def _parse(text: str, place: str) -> JsonNode:
    try:
        root = parse(text, place, {_PLUGINS, "hooks"})
    except ConfigError as error:
        more = "OpenClaw reads looser JSON than this command edits; docs/openclaw.md has the commands by hand"
        raise ConfigError(f"{error}; {more}") from error
    if root.pairs is None:
        raise ConfigError(f"{place}: not a JSON object; correct it there, nothing was changed")
    return root


def _node(root: JsonNode, path: Path_) -> JsonNode | None:
    node: JsonNode | None = root
    for key in path:
        node = None if node is None else node.child(key)
    return node


def _value(root: Any, path: Path_) -> Any:
    for key in path:
        if not isinstance(root, Mapping) or key not in root:
            return _MISSING
        root = root[key]
    return root


def _merged(found: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Our keys over those of others, at each depth of tables."""
    merged = dict(found) if isinstance(found, Mapping) else {}
    for key, value in wanted.items():
        deeper = isinstance(value, Mapping) and key != "env"
        merged[key] = _merged(merged.get(key), value) if deeper else value
    return merged


def _is_ours(path: Any) -> bool:
    """Whether a folder of plugins is ours, from wherever it was or is installed."""
    return isinstance(path, str) and path.replace("\\", "/").rstrip("/").endswith("/integrations/openclaw")
