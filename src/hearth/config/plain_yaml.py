"""The plain part of YAML, in which most settings are written, read without PyYAML: that takes 12 ms to load."""

from __future__ import annotations

from typing import Any, NamedTuple

from hearth.config.kinds import MAX_CHARS, Node, Pair
from hearth.core.lazy import regex

# Of tables by their indentation, and of brackets.
_MOST_LEVELS, _MOST_BRACKETS = 4, 3
# Printable ASCII. A text in quotes holds no escapes, one without holds no sign that means something to YAML.
_WORD = r"[A-Za-z0-9_./~][A-Za-z0-9_./~+*-]*"
_TEXT = regex(rf"\"[ !#-\[\]-~]*\"|'[ -&(-~]*'|{_WORD}(?: {_WORD})*")
_KEY = r"([A-Za-z_][A-Za-z0-9_-]*):"
_START = regex(rf"( *)(?:{_KEY}(?: +|$)|- +)")
_INNER_KEY = regex(rf"{_KEY} ")
_SKIPPED = regex(r" *(?:#[ -~]*)?")


class _NotPlain(Exception):
    """Right or wrong, it takes a whole parser."""


class _Entry(NamedTuple):
    """One line; ``key`` is empty for an item of a list. ``at`` is where the key or the item's sign stands."""

    place: str
    indent: int
    key: str
    at: int
    value: Node | None


def read_plain(text: str, file: str) -> Node | None:
    """What ``from_yaml`` reads from a text of tables, lists and values in which every line is an entry; ``None`` where
    it holds anything else, which may be right or wrong."""
    try:
        entries = _split(text, file) if len(text) <= MAX_CHARS else []
        found, end = _read_table(entries, 0, 1) if entries else (None, 0)
    except _NotPlain:
        return None
    return found if end == len(entries) else None


def _split(text: str, file: str) -> list[_Entry]:
    found: list[_Entry] = []
    at = 0
    for number, row in enumerate(text.split("\n"), 1):
        if start := _START.match(row):
            indent, place = len(start[1]), f"{file}:{number}"
            value = _Value(row, at, place).read_all(start.end()) if start.end() < len(row) else None
            found.append(_Entry(place, indent, start[2] or "", at + indent, value))
        elif not _SKIPPED.fullmatch(row):
            raise _NotPlain
        at += len(row) + 1
    return found


class _Value:
    """A value on one line, which begins ``offset`` characters into the text: a text, or a list or table in brackets."""

    def __init__(self, row: str, offset: int, place: str) -> None:
        self._row, self._offset, self._place = row, offset, place

    def read_all(self, at: int) -> Node:
        found, end = self._read(at)
        if self._row[end:].strip(" "):
            raise _NotPlain
        return found

    def _read(self, at: int, level: int = 1) -> tuple[Node, int]:
        """What stands there, and where it ends."""
        if level <= _MOST_BRACKETS and self._row.startswith(("[", "{"), at):
            return self._read_brackets(at, level)
        match = _TEXT.match(self._row, at)
        if match is None:
            raise _NotPlain
        is_quoted = match[0][0] in "'\""
        text = match[0][1:-1] if is_quoted else match[0]
        span = self._offset + at, self._offset + match.end()
        return Node(self._place, text, is_quoted, start=span[0], end=span[1]), match.end()

    def _read_brackets(self, start: int, level: int) -> tuple[Node, int]:
        is_table, at = self._row[start] == "{", start + 1
        items: list[Node] = []
        pairs: dict[str, Pair] = {}
        while True:
            key = _INNER_KEY.match(self._row, at) if is_table else None
            if is_table and (key is None or key[1] in pairs):
                raise _NotPlain
            item, end = self._read(at if key is None else key.end(), level + 1)
            items.append(item)
            if key is not None:
                pairs[key[1]] = Pair(key[1], self._place, item, self._offset + at, self._offset + at + len(key[1]))
            if not self._row.startswith(", ", end):
                break
            at = end + 2
        if not self._row.startswith("}" if is_table else "]", end):
            raise _NotPlain
        inner: dict[str, Any] = {"pairs": tuple(pairs.values())} if is_table else {"items": tuple(items)}
        span = self._offset + start, self._offset + end + 1
        return Node(self._place, start=span[0], end=span[1], flow=True, **inner), end + 1


def _read_table(entries: list[_Entry], at: int, level: int) -> tuple[Node, int]:
    """The table that begins with an entry, and the number of the entry behind it."""
    first = entries[at]
    pairs: dict[str, Pair] = {}
    while at < len(entries) and entries[at].indent == first.indent and entries[at].key:
        entry = entries[at]
        value, at = _read_value(entries, at, level)
        if entry.key in pairs:
            raise _NotPlain
        pairs[entry.key] = Pair(entry.key, entry.place, value, entry.at, entry.at + len(entry.key))
    if not pairs:
        raise _NotPlain
    end = list(pairs.values())[-1].node.end
    return Node(first.place, pairs=tuple(pairs.values()), start=first.at, end=end), at


def _read_value(entries: list[_Entry], at: int, level: int) -> tuple[Node, int]:
    entry, below = entries[at], entries[at + 1] if at + 1 < len(entries) else None
    if entry.value is not None:
        if below is not None and below.indent > entry.indent:  # it goes on with the value
            raise _NotPlain
        return entry.value, at + 1
    if below is None or level == _MOST_LEVELS:
        raise _NotPlain
    if not below.key and below.indent >= entry.indent:
        return _read_list(entries, at + 1)
    if below.indent <= entry.indent:
        raise _NotPlain
    return _read_table(entries, at + 1, level + 1)


def _read_list(entries: list[_Entry], at: int) -> tuple[Node, int]:
    first = entries[at]
    items: list[Node] = []
    while at < len(entries) and entries[at].indent == first.indent and not entries[at].key:
        value = entries[at].value
        if value is None:
            raise _NotPlain
        items.append(value)
        at += 1
    if at < len(entries) and entries[at].indent > first.indent:
        raise _NotPlain
    return Node(first.place, items=tuple(items), start=first.at, end=items[-1].end), at
