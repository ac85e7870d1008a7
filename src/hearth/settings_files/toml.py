"""A table in a TOML file: added behind the rest, renewed line by line, or taken out; comments and order stay."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from hearth.errors import ConfigError, Conflict

_HEADER = re.compile(r"^[ \t]*\[")
_POSITION = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)")


def edited(
    text: str, path: tuple[str, str], entry: dict[str, Any] | None, ours: Callable[[Any], bool], place: str
) -> str:
    """The file with ``entry`` as the table ``[path]``, or without it and its sub-tables for ``None``.

    Values are texts, lists of texts, or tables of texts. Keys that people added to our table stay. Raises
    ``ConfigError`` naming line and column for text that is no TOML, or for a layout that can't be edited, and
    ``Conflict`` where the table belongs to another program.
    """
    before = _parse(text, place)
    there = before.get(path[0], {})
    if not isinstance(there, dict):
        raise ConfigError(f"{place}: {path[0]} is not a table; correct it there, nothing was changed")
    found = there.get(path[1])
    if found is None and entry is None:
        return text
    if found is not None and not ours(found):
        if entry is None:
            return text
        raise Conflict(f"{place}: [{'.'.join(path)}] runs another program; rename or remove it, nothing was changed")
    wanted = None if entry is None else {**(found or {}), **entry}
    meant = _meant(before, path, wanted)
    if found == wanted:
        return text
    for changed in _changes(text, path, found, entry):
        if _read_back(changed) == meant:
            return changed
    raise ConfigError(f"{place}: [{'.'.join(path)}] can't be edited in its present layout; change it by hand")


def _changes(
    text: str, path: tuple[str, str], found: dict[str, Any] | None, entry: dict[str, Any] | None
) -> Iterator[str]:
    """The edit at every line that looks like our header: one of them may stand inside a text of many lines."""
    if found is None and entry is not None:
        yield _appended(text, path, entry)
    lines = text.splitlines(keepends=True)
    header = re.compile(rf"\s*\[\s*{_name(path)}\s*\]")
    for start in [at for at, line in enumerate(lines) if header.match(line)]:
        if entry is None:
            yield _without(lines, start, path)
        elif found is not None:
            yield _renewed(lines, start, {key: value for key, value in entry.items() if found.get(key) != value})


def _parse(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _POSITION.search(str(error))
        where = f"{match[1]}:{match[2]}" if match and match[1] else f"{text.count(chr(10)) + 1}:1"
        what = _POSITION.sub("", str(error)).strip()
        raise ConfigError(f"{place}:{where}: not valid TOML: {what}; correct it there, nothing was changed") from None


def _read_back(text: str) -> dict[str, Any] | None:
    """Our own work, where a mistake is no news about the file."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _meant(before: dict[str, Any], path: tuple[str, str], entry: dict[str, Any] | None) -> dict[str, Any]:
    key, name = path
    left = {other: value for other, value in before.get(key, {}).items() if other != name}
    if entry is not None:
        left[name] = entry
    rest = {other: value for other, value in before.items() if other != key}
    return {**rest, key: left} if left else rest


def _appended(text: str, path: tuple[str, str], entry: dict[str, Any]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
    return text + gap + newline.join(lines) + newline


def _renewed(lines: list[str], start: int, changes: dict[str, Any]) -> str:
    """Values that stand on one line each; the caller sees where that did not do."""
    lines = list(lines)
    for key, value in changes.items():
        line = f"{key} = {_value(value)}"
        same = re.compile(rf"\s*{re.escape(key)}\s*=")
        old = next((at for at in range(start + 1, _end(lines, start)) if same.match(lines[at])), None)
        if old is None:
            lines.insert(start + 1, line + _ending(lines[start]))
        else:
            lines[old] = line + _ending(lines[old])
    return "".join(lines)


def _without(lines: list[str], start: int, path: tuple[str, str]) -> str:
    end = _end(lines, start)
    inner = re.compile(rf"\s*\[\[?\s*{_name(path)}\s*\.")
    while end < len(lines) and inner.match(lines[end]):
        end = _end(lines, end)
    # What stands before the next header, blank lines and comments, belongs to that.
    last = next((at for at in range(end - 1, start, -1) if _says(lines[at])), start) + 1
    if start and not lines[start - 1].strip():
        start -= 1
    return "".join(lines[:start] + lines[last:])


def _end(lines: list[str], start: int) -> int:
    """The line of the next header."""
    return next((at for at in range(start + 1, len(lines)) if _HEADER.match(lines[at])), len(lines))


def _name(path: tuple[str, str]) -> str:
    return r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in path)


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :] or "\n"


def _value(value: Any) -> str:
    """A text in JSON's quotes is one in TOML's, where it holds no DEL."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
