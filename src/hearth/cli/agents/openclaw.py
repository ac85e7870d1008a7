"""``hearth setup openclaw``: puts the plugin into OpenClaw's settings and slots, or takes it out again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from hearth import hosts
from hearth.app import Settings
from hearth.cli import options
from hearth.cli.agents import launcher
from hearth.cli.session import CommandSession, is_terminal, pass_session
from hearth.core.errors import ConfigError, Conflict, Unavailable, UsageError
from hearth.settings_files import jsonc, servers
from hearth.settings_files.file import BACKUP, Edits, install, remove
from hearth.settings_files.jsonc import MISSING, JsonNode, parse, value_at

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
# Other plugins with a memory of their own; switched off only if somebody had switched them on.
_RIVALS = ("memory-lancedb", "active-memory")
_NOTES_HOOK = ("hooks", "internal", "entries", "session-memory", "enabled")
_MODE = ("config", "mode")
# The slots of a mode, each with the plugin that has it by default.
_SLOTS = {"memory": {_SLOT: _CORE}, "engine": {_ENGINE: "legacy"}, "both": {_SLOT: _CORE, _ENGINE: "legacy"}}

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
        found = read(file)
        chosen = mode or _present_mode(found) or _ask_mode(found, asks)
        for slot, nobody in _SLOTS[chosen].items():
            _check_slot(file, value_at(found, slot), slot, nobody, replace=given["replace"], asks=asks)
        named = launcher.vault(session, settings)
        change = install(
            file, edits_of(file, entry(launcher.variables(settings), named, chosen)), lock, dry_run=dry_run
        )
        done, notes = "the plugin was installed in OpenClaw", list(_advice(file, settings))
    launcher.report(change, done, notes if change.changed else [], dry_run=dry_run, as_json=as_json)


def _present_mode(found: Mapping[str, Any]) -> str | None:
    mode = value_at(found, (*_ENTRY, *_MODE))
    return mode if isinstance(mode, str) and mode in _SLOTS else None


def _ask_mode(found: Mapping[str, Any], asks: bool) -> str:
    """``memory`` unless a person wants more: another engine and the host's compaction then stay as they are."""
    taken = value_at(found, _ENGINE)
    if asks and taken in (MISSING, "legacy"):
        question = (
            "Should OpenClaw also commit each turn to Hearth by its context engine, and try again where that fails"
        )
        return "both" if click.confirm(question, default=False) else "memory"
    return "memory"


def file_of(settings: Settings) -> Path:
    return Path(hosts.dialect("openclaw").settings(launcher.home(settings), settings.environ))


def plugin_folder() -> Path:
    """The plugin's folder, inside the package or in the source tree around it. Raises ``Unavailable``."""
    return launcher.integration("openclaw", "the plugin for OpenClaw")


def tool_names(mode: str) -> list[str]:
    """The plugin's tools in this mode, from its manifest; beside OpenClaw's own memory, two have other names."""
    names: list[str] = json.loads((plugin_folder() / MANIFEST).read_bytes())["contracts"]["tools"]
    left_out = ("memory_search", "memory_get") if mode == "engine" else ("hearth_search", "hearth_get")
    return [name for name in names if name not in left_out]


def mode_of(found: Mapping[str, Any]) -> str:
    return _present_mode(found) or "memory"


def lost_slots(found: Mapping[str, Any]) -> list[str]:
    """The slots of the plugin's mode that another plugin has."""
    return [".".join(slot) for slot in _SLOTS[mode_of(found)] if value_at(found, slot) != ID]


def read(file: Path) -> dict[str, Any]:
    """The settings. Raises ``ConfigError`` and ``Unavailable``."""
    return _values(_text(file), str(file))


def entry(variables: Mapping[str, str], vault: str | None, mode: str = "memory") -> dict[str, Any]:
    """The plugin's entry in the settings; its hooks need both switches, to read turns and to add to prompts."""
    program = launcher.server()[:-1]
    config: dict[str, Any] = {"mode": mode, "command": program}
    if variables:
        config["env"] = dict(variables)
    if vault is not None:
        config["vault"] = vault
    hooks = {"allowConversationAccess": True, "allowPromptInjection": True}
    return {"enabled": True, "hooks": hooks, "config": config}


def _check_slot(file: Path, owner: Any, slot: Path_, nobody: str, *, replace: bool, asks: bool) -> None:
    """Raises ``Conflict`` where another plugin has the slot."""
    if owner in (MISSING, None, nobody, "none", ID) or replace:
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
    denied = value_at(read(file), (_PLUGINS, "deny"))
    if isinstance(denied, list) and ID in denied:
        yield f"{file} denies the plugin {ID} (plugins.deny), so it won't run; take it off that list"


# -- the settings ---------------------------------------------------------------------------------------------------


def edits_of(file: Path, wanted: Mapping[str, Any]) -> Edits:
    """``wanted`` is the plugin's entry. The backup says what the settings were before Hearth."""
    place = str(file)
    former = _former(Path(f"{file.resolve()}{BACKUP}"))
    put = partial(_put, wanted=wanted, former=former, place=place)
    return Edits(
        put,
        partial(_strip, former=former, place=place),
        (put,) if wanted else (),
        lambda text: not _holds_ours(text, place),
        partial(servers.is_blank, place=place),
    )


def _former(backup: Path) -> dict[str, Any]:
    """A backup that can't be read must not keep the plugin from going."""
    try:
        return read(backup)
    except (ConfigError, Unavailable):
        return {}


def _put(text: str, *, wanted: Mapping[str, Any], former: Mapping[str, Any], place: str) -> str:
    """With the plugin; what people added to its entry stays. Raises ``ConfigError`` and ``Unavailable``."""
    text = text if text.strip() else "{}\n"
    root = _parse(text, place).value
    present = value_at(root, _ENTRY)
    if value_at(present, _MODE) not in (MISSING, value_at(wanted, _MODE)):
        text = _strip(text, former=former, place=place)
        root = _parse(text, place).value
    found = value_at(root, _PATHS)
    paths = [one for one in found if not _is_ours(one)] if isinstance(found, list) else []
    text = _set(text, _PATHS, [*paths, str(plugin_folder())], place)
    allowed = value_at(root, _ALLOW)
    if isinstance(allowed, list) and ID not in allowed:
        text = _set(text, _ALLOW, [*allowed, ID], place)
    slots = _SLOTS[str(value_at(wanted, _MODE))]
    for slot in slots:
        text = _set(text, slot, ID, place)
    switches = {(_PLUGINS, "entries", name, "enabled") for name in _RIVALS} | {_NOTES_HOOK}
    for switch in (_CORE_SWITCH, *sorted(switches)) if _SLOT in slots else ():
        if switch == _CORE_SWITCH or value_at(root, switch) is True:
            text = _set(text, switch, False, place)
    return _set(text, _ENTRY, _merged(present, wanted), place)


def _strip(text: str, *, former: Mapping[str, Any], place: str) -> str:
    """Without the plugin; what it changed gets its value from the ``former`` settings back."""
    if not _holds_ours(text, place):
        return text
    root = _parse(text, place).value
    for path in (_PATHS, _ALLOW):
        found, before = value_at(root, path), value_at(former, path)
        if isinstance(found, list):
            kept = before if isinstance(before, list) else []
            left = [one for one in found if one in kept or not (_is_ours(one) or one == ID)]
            text = _restore(text, path, former, place) if left == kept else _set(text, path, left, place)
    ours: dict[Path_, Any] = {_ENGINE: ID}
    if value_at(root, _SLOT) == ID:
        rivals = [(_PLUGINS, "entries", name, "enabled") for name in _RIVALS]
        ours |= {_SLOT: ID, **dict.fromkeys((_CORE_SWITCH, *rivals, _NOTES_HOOK), False)}
    for changed, value in ours.items():
        if value_at(root, changed) == value:
            text = _restore(text, changed, former, place)
    return _restore(text, _ENTRY, former, place)


def _holds_ours(text: str, place: str) -> bool:
    root = _values(text, place)
    return value_at(root, _ENTRY) is not MISSING or ID in (value_at(root, _SLOT), value_at(root, _ENGINE))


def _set(text: str, path: Path_, value: Any, place: str) -> str:
    return jsonc.put(text, _parse(text, place), path, value, place)


def _restore(text: str, path: Path_, former: Mapping[str, Any], place: str) -> str:
    """With a value as before Hearth. One that was not there goes, and so do tables that held nothing else."""
    root, before = _parse(text, place), value_at(former, path)
    if before is MISSING:
        return jsonc.take_out(text, root, path, former)
    return jsonc.put(text, root, path, before, place)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"can't read {file}: {error}; nothing was changed") from error


def _values(text: str, place: str) -> dict[str, Any]:
    values: dict[str, Any] = _parse(text, place).value if text.strip() else {}
    return values


def _parse(text: str, place: str) -> JsonNode:
    try:
        return parse(text, place, {_PLUGINS, "hooks"})
    except ConfigError as error:
        more = "OpenClaw reads looser JSON than this command edits; docs/openclaw.md has the commands by hand"
        raise ConfigError(f"{error}; {more}") from error


def _merged(found: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """``found`` with our keys set, table by table; ``env`` is replaced whole."""
    merged = dict(found) if isinstance(found, Mapping) else {}
    for key, value in wanted.items():
        deeper = isinstance(value, Mapping) and key != "env"
        merged[key] = _merged(merged.get(key), value) if deeper else value
    return merged


def _is_ours(path: Any) -> bool:
    """Whether a plugin folder is Hearth's, of this installation or another."""
    return isinstance(path, str) and path.replace("\\", "/").rstrip("/").endswith("/integrations/openclaw")
