"""A value in a YAML file, one table deep: put in, renewed or taken out; everybody else's lines stay as they are.

Lines are edited, not the tree, so that comments and layout survive. Each edit is read back before anybody gets it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from hearth.core.errors import ConfigError, Conflict

_NOTHING = ("", "{}", "null", "~")


def edited(text: str, path: tuple[str, str], entry: Any, ours: Callable[[Any], bool], place: str) -> str:
    """The file with ``entry`` under the two keys of ``path``, or without it for ``None``.

    Keys that people added to our entry stay. Raises ``ConfigError`` for text that is no YAML or has a layout that can't
    be edited, and ``Conflict`` where the value belongs to another program.
    """
    before = _parse(text, place)
    there = before.get(path[0]) or {}
    if not isinstance(there, dict):
        raise ConfigError(f"{place}: {path[0]} is not a table; fix it there; nothing was changed")
    found = there.get(path[1])
    if found not in (None, "") and not ours(found):
        if entry is None:
            return text
        raise Conflict(f"{place}: {'.'.join(path)} belongs to another program; change it there; nothing was changed")
    wanted = {**found, **entry} if isinstance(found, dict) and isinstance(entry, dict) else entry
    if found == wanted or (wanted is None and found == ""):
        return text
    changed = _change(text, path, wanted)
    after = {} if changed is None else _parse(changed, place)
    is_right = _others(after, path) == _others(before, path) and (after.get(path[0]) or {}).get(path[1]) == wanted
    if changed is None or not is_right:
        raise ConfigError(f"{place}: {'.'.join(path)} can't be edited in its present layout; change it by hand")
    return changed


def value_at(text: str, path: tuple[str, str], place: str) -> Any:
    """What stands under the two keys, ``None`` for nothing. Raises ``ConfigError`` for text that is no YAML."""
    table = _parse(text, place).get(path[0])
    return table.get(path[1]) if isinstance(table, dict) else None


def _parse(text: str, place: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{mark.line + 1}:{mark.column + 1}" if mark is not None else "1:1"
        problem = getattr(error, "problem", None) or "can't be read"
        raise ConfigError(f"{place}:{where}: not valid YAML: {problem}; fix it there; nothing was changed") from None
    if not isinstance(found or {}, dict):
        raise ConfigError(f"{place}: not a table; fix it there; nothing was changed")
    return found or {}


def _others(root: dict[str, Any], path: tuple[str, str]) -> dict[str, Any]:
    """What the file means without our value; a table without values means nothing."""
    table = root.get(path[0])
    left = {key: value for key, value in table.items() if key != path[1]} if isinstance(table, dict) else table
    rest = {key: value for key, value in root.items() if key != path[0]}
    return {**rest, path[0]: left} if left else rest


def _change(text: str, path: tuple[str, str], wanted: Any) -> str | None:
    """``None`` where the table is written on one line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    at = next((number for number, line in enumerate(lines) if _key(line, "") == path[0]), None)
    if at is None:
        head = text if not text or text.endswith("\n") else text + newline
        return head + "".join([f"{path[0]}:{newline}", *_dump(path[1], wanted, "  ", newline)])
    if lines[at].partition(":")[2].partition(" #")[0].strip() not in _NOTHING:
        return None
    end = _end(lines, at, "")
    inside = [line for line in lines[at + 1 : end] if _is_content(line)]
    indent = inside[0][: len(inside[0]) - len(inside[0].lstrip(" "))] if inside else "  "
    own = next((number for number in range(at + 1, end) if _key(lines[number], indent) == path[1]), None)
    new = [] if wanted is None else _dump(path[1], wanted, indent, newline)
    if own is not None:
        after = _end(lines, own, indent)
        lines[own:after] = new
        if not new and len(inside) == len([line for line in text.splitlines()[own:after] if line.strip()]):
            del lines[at]
    else:
        lines[at : at + 1] = [f"{path[0]}:{newline}" if not inside else lines[at], *new]
    return "".join(lines)


def _key(line: str, indent: str) -> str | None:
    """The plain key that a line gives at this depth."""
    found = re.match(rf"{indent}(?! )([\w.-]+|\"[\w.-]+\"|'[\w.-]+')[ ]*:(?:\s|$)", line)
    return None if found is None else found[1].strip("\"'")


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _end(lines: list[str], at: int, indent: str) -> int:
    """Where the block of a key ends: before the next line that is no deeper than the key."""
    end = at + 1
    for number in range(at + 1, len(lines)):
        if _is_content(lines[number]):
            deeper = lines[number].startswith(f"{indent} ")
            if not deeper and not (lines[number].startswith(f"{indent}- ")):
                break
            end = number + 1
    return end


def _dump(key: str, value: Any, indent: str, newline: str) -> list[str]:
    said = yaml.safe_dump({key: value}, sort_keys=False, allow_unicode=True, width=10_000)
    return [f"{indent}{line}{newline}" for line in said.splitlines()]
