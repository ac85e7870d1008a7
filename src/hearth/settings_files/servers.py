"""An entry for an MCP server in a client's JSON settings: ours added, renewed or taken out, all else as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hearth.core.errors import ConfigError, Conflict
from hearth.settings_files import jsonc
from hearth.settings_files.jsonc import JsonNode, parse

_NEW = "{}\n"


def edited(
    text: str, path: tuple[str, str], entry: dict[str, Any] | None, ours: Callable[[Any], bool], place: str
) -> str:
    """The settings with ``entry`` at ``path`` (the key of the servers and our name), or without it for ``None``.

    Keys that people added to our entry stay. ``text`` is empty for a file that does not exist. Raises ``ConfigError``
    naming line and column for settings that can't be read, and ``Conflict`` where another server has our name.
    """
    if not text.strip():
        if entry is None:
            return text
        text = _NEW
    key, name = path
    root = _parse(text, key, place)
    servers = root.child(key)
    found = servers.child(name) if servers is not None else None
    if found is not None and not ours(found.value):
        if entry is None:
            return text
        raise Conflict(f"{place}: {key}.{name} runs another program; rename or remove it; nothing was changed")
    if entry is None:
        changed = jsonc.take_out(text, root, path)
    else:
        kept = found.value if found is not None else {}
        changed = jsonc.put(text, root, path, {**kept, **entry}, place)
    if _others(_parse(changed, key, place), path) != _others(root, path):
        raise ConfigError(f"{place}: can't be edited in its present layout; change it by hand")
    return changed


def holds_ours(text: str, path: tuple[str, str], ours: Callable[[Any], bool], place: str) -> bool:
    servers = parse(text, place, {path[0]}).child(path[0]) if text.strip() else None
    found = servers.child(path[1]) if servers is not None else None
    return found is not None and ours(found.value)


def is_blank(text: str, place: str) -> bool:
    """Whether nothing is left in a file."""
    return bool(text.strip()) and "/" not in text and parse(text, place, ()).value == {}


def _parse(text: str, key: str, place: str) -> JsonNode:
    root = parse(text, place, {key})
    servers = root.child(key)
    if servers is not None and servers.pairs is None:
        raise ConfigError(f"{place}: {key} is not a JSON object; fix it there; nothing was changed")
    return root


def _others(root: JsonNode, path: tuple[str, str]) -> dict[str, Any]:
    """What the settings mean without us; a table without servers means nothing."""
    key, name = path
    left = {other: value for other, value in (root.value.get(key) or {}).items() if other != name}
    rest = {other: value for other, value in root.value.items() if other != key}
    return {**rest, key: left} if left else rest
