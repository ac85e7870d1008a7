"""JSON with comments: parsed with places, and edited without touching anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Mapping
from json import JSONDecodeError, JSONDecoder
from typing import Any

from hearth.core.errors import ConfigError
from hearth.core.lazy import dataclass, regex

# A settings file has a dozen levels; far beyond, Python's own stack would end the reading.
MAX_DEPTH = 100
MISSING: Any = object()
"""What ``value_at`` gives where there is nothing, which is not ``null``."""
_BLANK = regex(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCAN: Callable[[str, int], tuple[Any, int]] = JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value, and the half-open range of text where it stands. A table has ``pairs`` and a list ``items``, unless
    nobody asked for what is inside."""

    start: int
    end: int
    value: Any
    pairs: tuple[JsonPair, ...] | None = None
    items: tuple[JsonNode, ...] | None = None

    def child(self, key: str) -> JsonNode | None:
        return next((pair.node for pair in self.pairs or () if pair.key == key), None)

    @property
    def children(self) -> list[tuple[int, int]]:
        """The ranges of the entries, keys included."""
        if self.pairs is not None:
            return [(pair.start, pair.node.end) for pair in self.pairs]
        return [(item.start, item.end) for item in self.items or ()]


@dataclass(frozen=True, slots=True)
class JsonPair:
    """An entry of a table; ``start`` is where its key begins."""

    key: str
    start: int
    node: JsonNode


def parse(text: str, place: str, inside: Container[str]) -> JsonNode:
    """The tree of a file named ``place``; what stands at the top under keys not ``inside`` is read without places.

    Raises ``ConfigError`` naming line and column for text that is no JSON, and for a key that stands twice.
    """
    return _Reader(text, place, inside).document()


def after_blank(text: str, at: int) -> int:
    """Where the next token begins, behind white space and comments."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


class _Reader:
    def __init__(self, text: str, place: str, inside: Container[str]) -> None:
        self.text = text
        self.place = place
        self.inside = inside

    def error(self, at: int, what: str) -> ConfigError:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return ConfigError(f"{self.place}:{line}:{column}: {what}; fix it there; nothing was changed")

    def document(self) -> JsonNode:
        root = self.value(after_blank(self.text, 0), 0)
        end = after_blank(self.text, root.end)
        if end < len(self.text):
            raise self.error(end, "not valid JSON: there is text after the end")
        if root.pairs is None:
            raise self.error(root.start, "not a JSON object")
        return root

    def value(self, at: int, depth: int) -> JsonNode:
        if depth > MAX_DEPTH:
            raise self.error(at, f"nested deeper than {MAX_DEPTH} levels")
        first = self.text[at : at + 1]
        if first == "{":
            return self.table(at, depth)
        if first == "[":
            return self.list(at, depth)
        return self.scalar(at)

    def scalar(self, at: int) -> JsonNode:
        try:
            value, end = _SCAN(self.text, at)
        except JSONDecodeError as error:
            what = "a value is missing or misspelt" if error.msg == "Expecting value" else error.msg
            raise self.error(error.pos, f"not valid JSON: {what}") from None
        except (ValueError, RecursionError) as error:
            raise self.error(at, f"not valid JSON: {error}") from None
        return JsonNode(at, end, value)

    def whole(self, at: int, depth: int) -> JsonNode:
        """As ``value`` by the fast reader, where the text is plain JSON."""
        try:
            value, end = _SCAN(self.text, at)
        except (ValueError, RecursionError):
            return self.value(at, depth)
        return JsonNode(at, end, value)

    def table(self, start: int, depth: int) -> JsonNode:
        pairs: dict[str, JsonPair] = {}
        at = after_blank(self.text, start + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self.error(at, 'not valid JSON: a key in quotes or "}" is missing')
            key = self.scalar(at)
            if key.value in pairs:
                raise self.error(at, f"the key {key.value!r} is given twice")
            colon = after_blank(self.text, key.end)
            if self.text[colon : colon + 1] != ":":
                raise self.error(colon, 'not valid JSON: ":" is missing')
            plain = depth == 0 and key.value not in self.inside
            node = (self.whole if plain else self.value)(after_blank(self.text, colon + 1), depth + 1)
            pairs[key.value] = JsonPair(key.value, at, node)
            at = self.next(node.end, "}")
        value = {key: pair.node.value for key, pair in pairs.items()}
        return JsonNode(start, at + 1, value, pairs=tuple(pairs.values()))

    def list(self, start: int, depth: int) -> JsonNode:
        items: list[JsonNode] = []
        at = after_blank(self.text, start + 1)
        while self.text[at : at + 1] != "]":
            items.append(self.value(at, depth + 1))
            at = self.next(items[-1].end, "]")
        return JsonNode(start, at + 1, [item.value for item in items], items=tuple(items))

    def next(self, end: int, close: str) -> int:
        """Where the next entry or the closing bracket stands."""
        at = after_blank(self.text, end)
        found = self.text[at : at + 1]
        if found == ",":
            return after_blank(self.text, at + 1)
        if found != close:
            raise self.error(at, f'not valid JSON: "," or "{close}" is missing')
        return at


_INDENT = "  "
_REST_OF_LINE = regex(r"[ \t]*(?://[^\n\r]*|/\*[^\n]*?\*/)?")


def added(text: str, container: JsonNode, key: str | None, value: Any) -> str:
    """The text with an entry behind the last one of a table, or of a list where ``key`` is ``None``."""
    children = container.children
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_of(text, container.start)
    if not children:
        close = container.end - 1
        body = text[container.start + 1 : close].rstrip()
        inner = outer + unit(text)
        entry = _entry(key, value, unit(text), newline + inner)
        return f"{text[: container.start + 1]}{body}{newline}{inner}{entry}{newline}{outer}{text[close:]}"
    start, end = children[-1]
    comma = after_blank(text, end)
    trailing = text[comma : comma + 1] == ","
    if "\n" not in text[container.start : children[0][0]]:
        return f"{text[:end]}, {_entry(key, value, None, '')}{text[end:]}"
    inner = _indent_of(text, start)
    entry = newline + inner + _entry(key, value, unit(text), newline + inner)
    if trailing:
        at = _end_of_remark(text, comma + 1)
        return f"{text[:at]}{entry},{text[at:]}"
    at = _end_of_remark(text, end)
    return f"{text[:end]},{text[end:at]}{entry}{text[at:]}"


def replaced(text: str, node: JsonNode, value: Any) -> str:
    """The text with another value at the place of one; laid out over lines where the old one was."""
    newline = "\r\n" if "\r\n" in text else "\n"
    spread = "\n" in text[node.start : node.end]
    new = _dump(value, unit(text) if spread else None, newline + _indent_of(text, node.start))
    return text[: node.start] + new + text[node.end :]


def removed(text: str, container: JsonNode, index: int) -> str:
    """The text without an entry, its comma and the white space before it; comments stay."""
    children = container.children
    start, end = children[index]
    comma = after_blank(text, end)
    if text[comma : comma + 1] == ",":
        head, tail = text[:start], text[end:comma] + text[comma + 1 :]
    elif index:
        before = after_blank(text, children[index - 1][1])
        head, tail = text[:before] + text[before + 1 : start], text[end:]
    else:
        head, tail = text[:start], text[end:]
    shortened = _join(head, tail)
    if len(children) > 1:
        return shortened
    close = container.end - 1 - (len(text) - len(shortened))
    inside = shortened[container.start + 1 : close]
    return shortened if inside.strip() else shortened[: container.start + 1] + shortened[close:]


def value_at(root: Any, path: tuple[str, ...]) -> Any:
    """What tables hold under these keys, else ``MISSING``."""
    for key in path:
        if not isinstance(root, Mapping) or key not in root:
            return MISSING
        root = root[key]
    return root


def put(text: str, root: JsonNode, path: tuple[str, ...], value: Any, place: str) -> str:
    """The text, read as ``root``, with a value at a path; missing tables are made. Raises ``ConfigError`` where
    something else stands in the place of a table."""
    node = root
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


def take_out(text: str, root: JsonNode, path: tuple[str, ...], former: Any = None) -> str:
    """The text, read as ``root``, without the value at a path and the tables that hold nothing else, unless the
    ``former`` settings have those."""
    tables, node = [root], root
    for key in path:
        child = node.child(key)
        if child is None:
            return text
        tables.append(child)
        node = child
    at = len(path) - 1
    while at and len(tables[at].children) == 1 and value_at(former, path[:at]) is MISSING:
        at -= 1
    return removed(text, tables[at], [pair.key for pair in tables[at].pairs or ()].index(path[at]))


def _join(head: str, tail: str) -> str:
    """Without the white space that led to an entry, unless what follows on its line would end up in a comment."""
    closer = head.rstrip()
    if "\n" in head[len(closer) :] and tail.split("\n", 1)[0].strip():
        return head + tail.lstrip(" \t")
    return closer + tail


def unit(text: str) -> str:
    """What one level is indented by: the white space before the first entry."""
    match = re.search(r"\{[ \t]*\r?\n([ \t]+)\"", text)
    return match[1] if match else _INDENT


def _entry(key: str | None, value: Any, indent: str | None, line: str) -> str:
    head = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    return head + _dump(value, indent, line)


def _dump(value: Any, indent: str | None, line: str) -> str:
    """``line`` is the break and indentation with which further lines begin."""
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", line)


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _end_of_remark(text: str, at: int) -> int:
    """Behind a comment on the rest of the line: it belongs to the entry before it."""
    match = _REST_OF_LINE.match(text, at)
    end = match.end() if match else at
    return len(text[:end].rstrip(" \t")) if end > at else at
