"""JSON with comments and trailing commas, read with the place of every value, so that text can be edited in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from json import JSONDecodeError, JSONDecoder
from typing import Any

from hearth.core.errors import ConfigError
from hearth.core.lazy import dataclass, regex

# A settings file has a dozen levels; far beyond, Python's own stack would end the reading.
MAX_DEPTH = 100
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
        return ConfigError(f"{self.place}:{line}:{column}: {what}; correct it there, nothing was changed")

    def document(self) -> JsonNode:
        root = self.value(after_blank(self.text, 0), 0)
        end = after_blank(self.text, root.end)
        if end < len(self.text):
            raise self.error(end, "not valid JSON: something stands behind the end")
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
                raise self.error(at, f"the key {key.value!r} stands twice")
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
