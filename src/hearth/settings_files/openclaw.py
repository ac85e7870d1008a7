"""OpenClaw's settings with the plugin and without it: text in, text out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hearth.core.errors import ConfigError, Unavailable
from hearth.settings_files import jsonc, servers
from hearth.settings_files.file import BACKUP, Edits
from hearth.settings_files.jsonc import MISSING, JsonNode, parse, value_at

Path_ = tuple[str, ...]

ID = "hearth"
PLUGINS = "plugins"
SLOT = (PLUGINS, "slots", "memory")
ENGINE = (PLUGINS, "slots", "contextEngine")
_ENTRY = (PLUGINS, "entries", ID)
_PATHS = (PLUGINS, "load", "paths")
_ALLOW = (PLUGINS, "allow")
_CORE = "memory-core"
_CORE_SWITCH = (PLUGINS, "entries", _CORE, "enabled")
# Other plugins with a memory of their own; switched off only if somebody had switched them on.
_RIVALS = ("memory-lancedb", "active-memory")
_NOTES_HOOK = ("hooks", "internal", "entries", "session-memory", "enabled")
_MODE = ("config", "mode")
SLOTS: dict[str, dict[Path_, str]] = {
    "memory": {SLOT: _CORE},
    "engine": {ENGINE: "legacy"},
    "both": {SLOT: _CORE, ENGINE: "legacy"},
}
"""The slots of a mode, each with the plugin that has it by default."""


def present_mode(found: Mapping[str, Any]) -> str | None:
    mode = value_at(found, (*_ENTRY, *_MODE))
    return mode if isinstance(mode, str) and mode in SLOTS else None


def mode_of(found: Mapping[str, Any]) -> str:
    return present_mode(found) or "memory"


def lost_slots(found: Mapping[str, Any]) -> list[str]:
    """The slots of the plugin's mode that another plugin has."""
    return [".".join(slot) for slot in SLOTS[mode_of(found)] if value_at(found, slot) != ID]


def is_denied(found: Mapping[str, Any]) -> bool:
    denied = value_at(found, (PLUGINS, "deny"))
    return isinstance(denied, list) and ID in denied


def read(file: Path) -> dict[str, Any]:
    """The settings. Raises ``ConfigError`` and ``Unavailable``."""
    return _values(_text(file), str(file))


def edits_of(file: Path, wanted: Mapping[str, Any], folder: str = "") -> Edits:
    """``wanted`` is the plugin's entry, ``folder`` where the plugin lies. The backup says what the settings were before
    Hearth."""
    place = str(file)
    former = _former(Path(f"{file.resolve()}{BACKUP}"))
    put = partial(_put, wanted=wanted, folder=folder, former=former, place=place)
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


def _put(text: str, *, wanted: Mapping[str, Any], folder: str, former: Mapping[str, Any], place: str) -> str:
    """With the plugin; what people added to its entry stays. Raises ``ConfigError`` and ``Unavailable``."""
    text = text if text.strip() else "{}\n"
    root = _parse(text, place).value
    present = value_at(root, _ENTRY)
    if value_at(present, _MODE) not in (MISSING, value_at(wanted, _MODE)):
        text = _strip(text, former=former, place=place)
        root = _parse(text, place).value
    found = value_at(root, _PATHS)
    paths = [one for one in found if not _is_ours(one)] if isinstance(found, list) else []
    text = _set(text, _PATHS, [*paths, folder], place)
    allowed = value_at(root, _ALLOW)
    if isinstance(allowed, list) and ID not in allowed:
        text = _set(text, _ALLOW, [*allowed, ID], place)
    slots = SLOTS[str(value_at(wanted, _MODE))]
    for slot in slots:
        text = _set(text, slot, ID, place)
    switches = {(PLUGINS, "entries", name, "enabled") for name in _RIVALS} | {_NOTES_HOOK}
    for switch in (_CORE_SWITCH, *sorted(switches)) if SLOT in slots else ():
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
    ours: dict[Path_, Any] = {ENGINE: ID}
    if value_at(root, SLOT) == ID:
        rivals = [(PLUGINS, "entries", name, "enabled") for name in _RIVALS]
        ours |= {SLOT: ID, **dict.fromkeys((_CORE_SWITCH, *rivals, _NOTES_HOOK), False)}
    for changed, value in ours.items():
        if value_at(root, changed) == value:
            text = _restore(text, changed, former, place)
    return _restore(text, _ENTRY, former, place)


def _holds_ours(text: str, place: str) -> bool:
    root = _values(text, place)
    return value_at(root, _ENTRY) is not MISSING or ID in (value_at(root, SLOT), value_at(root, ENGINE))


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
        return parse(text, place, {PLUGINS, "hooks"})
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
