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
from hearth.core.errors import ConfigError, Conflict, Unavailable, UsageError
from hearth.settings_files.file import BACKUP, Edits, install, remove
from hearth.settings_files.jsonc import JsonNode, added, parse, removed, replaced

ID = "hearth"
MANIFEST = "openclaw.plugin.json"
_PLUGINS = "plugins"
_SLOT = (_PLUGINS, "slots", "memory")
_ENGINE = (_PLUGINS, "slots", "contextEngine")
_ENTRY = (_PLUGINS, "entries", ID)
_PATHS = (_PLUGINS, "load", "paths")
_ALLOW = (_PLUGINS, "allow")
_CORE = "memory-core"
_CORE_SWITCH = (_PLUGINS, "entries", _CORE, "enabled")
# Others that answer from a memory of their own; off only where somebody had switched them on.
_RIVALS = ("memory-lancedb", "active-memory")
_NOTES_HOOK = ("hooks", "internal", "entries", "session-memory", "enabled")
_MODE = ("config", "mode")
# The slots of a mode, each with who has it where nobody chose.
_SLOTS = {"memory": {_SLOT: _CORE}, "engine": {_ENGINE: "legacy"}, "both": {_SLOT: _CORE, _ENGINE: "legacy"}}
_MISSING: Any = object()

Path_ = tuple[str, ...]


@click.command("openclaw")
@click.option("--memory", "mode", flag_value="memory", help="Recall, tools, capture, the flush (default).")
@click.option("--engine", "mode", flag_value="engine", help="Recall, tools, turns committed; its own memory stays on.")
@click.option("--both", "mode", flag_value="both", help="Memory, and turns committed one by one.")
@click.option("--replace", is_flag=True, help="Take a slot from another plugin; --remove gives it back.")
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@click.option("--remove", "removes", is_flag=True, help="Take out what this command puts in, and restore the slots.")
@options.json_flag
@pass_session
def setup_openclaw(session: CommandSession, mode: str | None, as_json: bool, **given: bool) -> None:
    """Install the plugin in OpenClaw: recall, tools and capture in place of its own memory."""
    settings = session.settings()
    file, dry_run = file_of(settings), given["dry_run"]
    lock = launcher.lock(settings)
    asks = not (dry_run or as_json) and sys.stdin.isatty() and is_terminal()
    if given["removes"]:
        if mode is not None:
            raise UsageError(f"--{mode} goes with installing the plugin, not with --remove")
        change = remove(file, edits_of(file, {}), lock, dry_run=dry_run)
        done, notes = "the plugin was taken out of OpenClaw", ["restart its gateway: openclaw gateway restart"]
    else:
        chosen = mode or _present_mode(file) or _ask_mode(file, asks)
        for slot, nobody in _SLOTS[chosen].items():
            _check_slot(file, slot, nobody, replace=given["replace"], asks=asks)
        named = launcher.vault(session, settings)
        change = install(
            file, edits_of(file, entry(launcher.variables(settings), named, chosen)), lock, dry_run=dry_run
        )
        done, notes = "the plugin was installed in OpenClaw", list(_advice(file, settings))
    launcher.report(change, done, notes if change.changed else [], dry_run=dry_run, as_json=as_json)


def _present_mode(file: Path) -> str | None:
    found = _value(read(file), (*_ENTRY, *_MODE))
    return found if found in _SLOTS else None


def _ask_mode(file: Path, asks: bool) -> str:
    """Memory alone where nobody says more: another engine and the host's compaction stay as they are."""
    taken = _value(read(file), _ENGINE)
    if asks and taken in (_MISSING, "legacy"):
        question = (
            "Should OpenClaw also commit each turn to Hearth by its context engine, and try again where that fails"
        )
        return "both" if click.confirm(question, default=False) else "memory"
    return "memory"


def file_of(settings: Settings) -> Path:
    return Path(hosts.dialect("openclaw").settings(launcher.home(settings), settings.environ))


def plugin_folder() -> Path:
    """Where the plugin lies: beside the modules, or in the source that they are read from. Raises ``Unavailable``."""
    package = Path(hearth.__file__).resolve().parent
    for folder in (package, package.parents[1]):
        found = folder / "integrations" / "openclaw"
        if (found / MANIFEST).is_file():
            return found
    raise Unavailable(f"the plugin for OpenClaw is missing beside {package}; install Hearth again")


def tool_names(mode: str) -> list[str]:
    """The tools that the plugin brings, by its manifest: beside the host's own memory under other names."""
    names: list[str] = json.loads((plugin_folder() / MANIFEST).read_bytes())["contracts"]["tools"]
    left_out = ("memory_search", "memory_get") if mode == "engine" else ("hearth_search", "hearth_get")
    return [name for name in names if name not in left_out]


def mode_of(found: Mapping[str, Any]) -> str:
    """The mode that the settings say."""
    mode = _value(found, (*_ENTRY, *_MODE))
    return mode if mode in _SLOTS else "memory"


def lost_slots(found: Mapping[str, Any]) -> list[str]:
    """The slots of the plugin's mode that are another's."""
    return [".".join(slot) for slot in _SLOTS[mode_of(found)] if _value(found, slot) != ID]


def read(file: Path) -> dict[str, Any]:
    """The settings. Raises ``ConfigError`` and ``Unavailable``."""
    found: dict[str, Any] = _parse(_text(file) or "{}", str(file)).value
    return found


def entry(variables: Mapping[str, str], vault: str | None, mode: str = "memory") -> dict[str, Any]:
    """What the settings say of the plugin; the switches let it see what is said and add what memory knows."""
    program = launcher.server()[:-1]
    config: dict[str, Any] = {"mode": mode, "command": program}
    if variables:
        config["env"] = dict(variables)
    if vault is not None:
        config["vault"] = vault
    hooks = {"allowConversationAccess": True, "allowPromptInjection": True}
    return {"enabled": True, "hooks": hooks, "config": config}


def _check_slot(file: Path, slot: Path_, nobody: str, *, replace: bool, asks: bool) -> None:
    """Raises ``Conflict`` where another plugin has the slot."""
    owner = _value(read(file), slot)
    if owner in (_MISSING, None, nobody, "none", ID) or replace:
        return
    what = "memory" if slot == _SLOT else "context engine"
    question = f"The plugin {owner} is OpenClaw's {what}. Put Hearth in its place (--remove gives it back)?"
    if asks and click.confirm(question, default=False):
        return
    raise Conflict(f"{file}: the plugin {owner} is the {what}; nothing was changed; with --replace it makes room")


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
    put = partial(_put, wanted=wanted, folder=str(plugin_folder()), former=former, place=place)
    return Edits(
        put,
        partial(_strip, former=former, place=place),
        (put,) if wanted else (),
        lambda text: not _holds_ours(text, place),
        lambda text: bool(text.strip()) and "/" not in text and _parse(text, place).value == {},
    )


def _put(text: str, *, wanted: Mapping[str, Any], folder: str, former: Mapping[str, Any], place: str) -> str:
    """With the plugin; what people added to its entry stays. Raises ``ConfigError``."""
    text = text if text.strip() else "{}\n"
    root = _parse(text, place).value
    present = _value(root, _ENTRY)
    if _value(present, _MODE) not in (_MISSING, _value(wanted, _MODE)):
        text = _strip(text, former=former, place=place)
        root = _parse(text, place).value
    found = _value(root, _PATHS)
    paths = [one for one in found if not _is_ours(one)] if isinstance(found, list) else []
    text = _set(text, _PATHS, [*paths, folder], place)
    allowed = _value(root, _ALLOW)
    if isinstance(allowed, list) and ID not in allowed:
        text = _set(text, _ALLOW, [*allowed, ID], place)
    slots = _SLOTS[str(_value(wanted, _MODE))]
    for slot in slots:
        text = _set(text, slot, ID, place)
    switches = {(_PLUGINS, "entries", name, "enabled") for name in _RIVALS} | {_NOTES_HOOK}
    for switch in (_CORE_SWITCH, *sorted(switches)) if _SLOT in slots else ():
        if switch == _CORE_SWITCH or _value(root, switch) is True:
            text = _set(text, switch, False, place)
    return _set(text, _ENTRY, _merged(present, wanted), place)


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
    ours: dict[Path_, Any] = {_ENGINE: ID}
    if _value(root, _SLOT) == ID:
        rivals = [(_PLUGINS, "entries", name, "enabled") for name in _RIVALS]
        ours |= {_SLOT: ID, **dict.fromkeys((_CORE_SWITCH, *rivals, _NOTES_HOOK), False)}
    for changed, value in ours.items():
        if _value(root, changed) == value:
            text = _restore(text, changed, former, place)
    return _restore(text, _ENTRY, former, place)


def _holds_ours(text: str, place: str) -> bool:
    root = _parse(text, place).value if text.strip() else {}
    return _value(root, _ENTRY) is not _MISSING or ID in (_value(root, _SLOT), _value(root, _ENGINE))


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
        raise ConfigError(f"{place}: not a JSON object; fix it there; nothing was changed")
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
