"""Which files a tool is to change, and whether it failed."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hearth.extract.record import dict_of, name_of, text_of
from hearth.lazy import regex

_FILE_KEYS = {
    "Edit": "file_path",
    "Write": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
_PATCHED = regex(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_BEGIN = "*** Begin Patch"
_EXIT = regex(r'(?:exit[ _]code"?:|exited with code)\s*(-?\d+)', re.IGNORECASE)
_HEAD = 500
_MAX_FILES = 1_000


def edited(tool: str, given: dict[str, Any], cwd: str | None) -> tuple[str, ...]:
    """What a tool with named arguments changes."""
    key = _FILE_KEYS.get(tool)
    if key is not None:
        return absolute([text_of(given.get(key))], cwd)
    return patched(given, cwd) if "apply_patch" in tool else ()


def patched(given: object, cwd: str | None) -> tuple[str, ...]:
    """The files in every patch inside a tool's arguments, however they nest; relative names start at the folder that
    the arguments name, else at ``cwd``."""
    if isinstance(given, str) and given.startswith("{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return ()
    place = dict_of(given).get("workdir") or dict_of(given).get("cwd")
    names = (name for text in _texts(given, 3) if _BEGIN in text for name in _PATCHED.findall(text))
    return absolute(names, name_of(place) or cwd)


def absolute(names: Iterable[str], cwd: str | None) -> tuple[str, ...]:
    """Each name once, joined to ``cwd`` where it is relative; names as of Windows stay as they are."""
    found: dict[str, None] = {}
    for name in names:
        if name and len(found) < _MAX_FILES:
            whole = posixpath.join(cwd, name) if cwd and ":\\" not in name else name
            found[posixpath.normpath(whole)] = None
    return tuple(found)


def exit_failed(output: str) -> bool:
    """Whether the head of a command's output tells of an exit code other than 0."""
    told = _EXIT.search(output, 0, _HEAD)
    return told is not None and int(told[1]) != 0


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield text_of(value)
    elif depth and isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth - 1)
