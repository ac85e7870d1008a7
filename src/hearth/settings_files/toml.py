"""A table in a TOML file: added, renewed value by value, or taken out; everybody else's text stays byte for byte.

A file is cut before its headers, and tomlkit edits a piece alone: what it moves or drops of other tables (it orders an
array of tables that stands in parts) can't happen. Each edit is read back before anybody gets it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, InlineTable, Table

from hearth.core.errors import ConfigError, Conflict
from hearth.core.lazy import regex

_HEADER = regex(r"[ \t]*\[[^\n]*\][ \t]*(?:#[^\n]*)?\r?\n?")
_LINE = regex(r"[^\n]*\n|[^\n]+")
_POSITION = regex(r"\(at (?:line (\d+), column (\d+)|end of document)\)")


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
        raise ConfigError(f"{place}: {path[0]} is not a table; fix it there; nothing was changed")
    found = there.get(path[1])
    if found is None and entry is None:
        return text
    if found is not None and not ours(found):
        if entry is None:
            return text
        raise Conflict(f"{place}: [{'.'.join(path)}] runs another program; rename or remove it; nothing was changed")
    wanted = None if entry is None else {**(found or {}), **entry}
    if found == wanted:
        return text
    meant = _meant(before, path, wanted)
    for changed in _changes(text, path, found, entry):
        if _read_back(changed) == meant:
            return changed
    raise ConfigError(f"{place}: [{'.'.join(path)}] can't be edited in its present layout; change it by hand")


def _parse(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _POSITION.search(str(error))
        where = f"{match[1]}:{match[2]}" if match and match[1] else f"{text.count(chr(10)) + 1}:1"
        what = _POSITION.sub("", str(error)).strip()
        raise ConfigError(f"{place}:{where}: not valid TOML: {what}; fix it there; nothing was changed") from None


def _read_back(text: str) -> dict[str, Any] | None:
    """Our own work, where a mistake is no news about the file."""
    try:
        return _without_empty(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return None


def _meant(before: dict[str, Any], path: tuple[str, str], entry: dict[str, Any] | None) -> dict[str, Any]:
    key, name = path
    servers = {other: value for other, value in before.get(key, {}).items() if other != name}
    if entry is not None:
        servers[name] = entry
    return _without_empty({**before, key: servers})


def _without_empty(settings: dict[str, Any]) -> dict[str, Any]:
    """A table that holds nothing means nothing."""
    return {key: value for key, value in settings.items() if value != {}}


def _changes(
    text: str, path: tuple[str, str], found: dict[str, Any] | None, entry: dict[str, Any] | None
) -> Iterator[str]:
    """The edit in each way that there is, the gentlest first."""
    windows = "\r\n" in text and text.count("\n") == text.count("\r\n")
    lines = text.replace("\r\n", "\n") if windows else text
    try:
        for changed in _ways(lines, path, found, entry):
            yield changed.replace("\n", "\r\n") if windows else changed
    except TOMLKitError:
        return


def _ways(
    text: str, path: tuple[str, str], found: dict[str, Any] | None, entry: dict[str, Any] | None
) -> Iterator[str]:
    if entry is None:
        yield _without(text, path)
    elif found is None:
        yield _add(text, path, entry)
    else:
        yield _renew(text, path, {key: value for key, value in entry.items() if found.get(key) != value})
        yield _add(_without(text, path), path, {**found, **entry})


def _pieces(text: str) -> Iterator[str]:
    """The text cut before each header; a line that looks like one may stand in a text or a list of many lines."""
    piece = ""
    for line in _LINE.findall(text):
        if piece and _HEADER.fullmatch(line) and _read_back(piece) is not None:
            yield piece
            piece = ""
        piece += line
    if piece:
        yield piece


def _part(piece: str, path: tuple[str, str]) -> dict[str, Any] | None:
    """What a piece holds of our table."""
    servers = tomllib.loads(piece).get(path[0], {})
    return servers.get(path[1]) if isinstance(servers, dict) else None


def _add(text: str, path: tuple[str, str], entry: dict[str, Any]) -> str:
    """Behind everything, where a header stands for itself; inside the braces of a table that is written in them.

    A text that ends amid a line still does afterwards: so taking out knows what to leave.
    """
    key, name = path
    head = next(_pieces(text), "")
    document = tomlkit.parse(head)
    servers = document.get(key)
    if isinstance(servers, InlineTable):
        servers[name] = _inline(entry)
        return _insert(head, tomlkit.dumps(document)) + text[len(head) :]
    table = tomlkit.table()
    for inner, value in entry.items():
        table[inner] = _inline(value)
    servers = tomlkit.table(is_super_table=True)
    servers[name] = table
    block = tomlkit.dumps({key: servers})
    if not text:
        return block
    return text + "\n" + block if text.endswith("\n") else text + "\n\n" + block.removesuffix("\n")


def _insert(text: str, grown: str) -> str:
    """``text`` with what ``grown`` has more, and with the space before a brace that rendering dropped."""
    at = _parting(text, grown)
    return text[:at] + grown[at : len(grown) - len(text[at:].lstrip(" \t"))] + text[at:]


def _inline(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    table = tomlkit.inline_table()
    for key, inner in value.items():
        table[key] = _inline(inner)
    return table


def _renew(text: str, path: tuple[str, str], changes: dict[str, Any]) -> str:
    """Each value where it stands; those that are new in the first piece that holds a value of ours."""
    pieces = list(_pieces(text))
    parts = [_part(piece, path) or {} for piece in pieces]
    main = next((at for at, part in enumerate(parts) if any(not isinstance(it, dict) for it in part.values())), 0)
    for key, value in changes.items():
        at = next((at for at, part in enumerate(parts) if key in part), main)
        document = tomlkit.parse(pieces[at])
        servers: Any = document.get(path[0], {})
        if path[1] in servers:
            _set(servers[path[1]], key, value)
            pieces[at] = tomlkit.dumps(document)
    renewed = "".join(pieces)
    return renewed if text.endswith("\n") else renewed.removesuffix("\n")


def _set(table: Any, key: str, value: Any) -> None:
    """A value of a table; what stands behind the last one, before the next header, stays behind."""
    if isinstance(value, dict) and isinstance(table.get(key), AbstractTable):
        for other in set(table[key]) - set(value):
            table[key].remove(other)
        for inner, text in value.items():
            _set(table[key], inner, text)
        return
    body = table.value.body if isinstance(table, Table) and key not in table else []
    behind = []
    while body and body[-1][0] is None:
        behind.append(body.pop())
    table[key] = _inline(value)
    body.extend(reversed(behind))


def _without(text: str, path: tuple[str, str]) -> str:
    kept = ""
    last = ""
    for last in _pieces(text):
        if _part(last, path) is None:
            kept += last
        elif _HEADER.fullmatch(_LINE.findall(last)[0]) and _without_ours(last, path) == {}:
            kept = _without_blank_end(kept) + _behind(last)
        else:
            kept += _cut(last, path)
    return kept.removesuffix("\n") if not text.endswith("\n") else kept


def _without_ours(piece: str, path: tuple[str, str]) -> dict[str, Any]:
    """What a piece means to others."""
    return _meant(tomllib.loads(piece), path, None)


def _without_blank_end(text: str) -> str:
    """Without the blank line that leads to a table."""
    return text.removesuffix("\n") if text == "\n" or text.endswith("\n\n") else text


def _behind(piece: str) -> str:
    """What stands before the next header, blank lines and comments, belongs to that."""
    lines = _LINE.findall(piece)
    last = next(at for at in reversed(range(len(lines))) if lines[at].strip() and lines[at].lstrip()[0] != "#")
    return "".join(lines[last + 1 :])


def _cut(piece: str, path: tuple[str, str]) -> str:
    """A piece without values of ours between those of others."""
    document = tomlkit.parse(piece)
    servers: Any = document[path[0]]
    del servers[path[1]]
    shrunk = tomlkit.dumps(document)
    if piece.count("\n") > shrunk.count("\n"):
        return shrunk
    at = _parting(piece, shrunk)
    tail = shrunk[at:].lstrip(" \t")
    # Inside braces: of the space on both sides the longer one stays.
    before, gone = piece[:at].rstrip(" \t"), piece[at : len(piece) - len(tail)]
    return before + max(piece[len(before) : at], gone[len(gone.rstrip(" \t")) :], key=len) + tail


def _parting(one: str, other: str) -> int:
    """Where two texts begin to differ."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)
