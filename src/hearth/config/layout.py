"""Edits of YAML text by position: set the value at a path, or remove the entry there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from hearth.config.nodes import Node, Pair
from hearth.errors import ConfigError

INDENT = "  "
# A vault that is given by its folder alone turns into a table with this key when it gets a second one.
SHORT_KEY = "data"


def flow(value: Any) -> str:
    """A value on one line, quoted so that it holds inside brackets."""
    import yaml

    text: str = yaml.safe_dump([value], default_flow_style=True, width=sys.maxsize, allow_unicode=True, sort_keys=False)
    return text.strip()[1:-1]


def put(text: str, root: Node, path: Sequence[str], value: Any) -> str:
    """The text with ``value`` at ``path``, which is made as far as it does not exist."""
    node = root
    for depth, key in enumerate(path):
        pair = next((pair for pair in node.pairs or () if pair.key == key), None)
        rest = path[depth + 1 :]
        if pair is None:
            return _insert(text, node, path[depth:], value)
        if not rest:
            return _replace(text, pair, flow(value))
        if pair.node.is_null:
            return _replace(text, pair, flow(_nest(rest, value)))
        if pair.node.text is not None:
            longer = {SHORT_KEY: pair.node.text, **_nest(rest, value)}
            return _replace(text, pair, flow(value if tuple(rest) == (SHORT_KEY,) else longer))
        node = pair.node
    raise ValueError("an empty path")


def remove(text: str, root: Node, path: Sequence[str]) -> str:
    """The text without the entry at ``path``, which exists; comments on lines of their own stay."""
    parent = root
    for key in path[:-1]:
        parent = parent.child(key) or parent
    pairs = parent.pairs or ()
    index = next(i for i, pair in enumerate(pairs) if pair.key == path[-1])
    pair = pairs[index]
    if not parent.flow:
        start = text.rfind("\n", 0, pair.start) + 1
        return text[:start] + text[_next_line(text, pair.node.end) :]
    if index + 1 < len(pairs):
        return text[: pair.start] + text[pairs[index + 1].start :]
    start = pairs[index - 1].node.end if index else pair.start
    return text[:start] + text[pair.node.end :]


def _nest(path: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    nested: dict[str, Any] = value
    return nested


def _replace(text: str, pair: Pair, new: str) -> str:
    """Put a value behind its key's colon; a comment between the two stays behind the value."""
    colon = text.index(":", pair.end) + 1
    between = text[colon : pair.node.start]
    if "\n" not in between:
        return text[:colon] + (between or " ") + new + text[pair.node.end :]
    comment = between.splitlines()[0].rstrip()
    return f"{text[:colon]} {new}{comment}{text[pair.node.end :]}"


def _insert(text: str, node: Node, path: Sequence[str], value: Any) -> str:
    """Put a new entry behind the last one of a table."""
    if node.flow:
        entry = flow(_nest(path, value))[1:-1]
        position = node.pairs[-1].node.end if node.pairs else node.start + 1
        return text[:position] + (", " if node.pairs else "") + entry + text[position:]
    newline = "\r\n" if "\r\n" in text else "\n"
    if not node.pairs:
        if node.text:
            raise ConfigError(f"{node.place}: can't be edited in its present layout; change it by hand")
        gap = newline if text and not text.endswith("\n") else ""
        return text + gap + newline.join(_block(path, value, "")) + newline
    column = node.pairs[0].start - text.rfind("\n", 0, node.pairs[0].start) - 1
    lines = newline.join(_block(path, value, " " * column)) + newline
    position = _next_line(text, node.pairs[-1].node.end)
    gap = "" if text[:position].endswith("\n") else newline
    return text[:position] + gap + lines + text[position:]


def _block(path: Sequence[str], value: Any, indent: str) -> list[str]:
    head = [f"{indent}{INDENT * depth}{key}:" for depth, key in enumerate(path)]
    return [*head[:-1], f"{head[-1]} {flow(value)}"]


def _next_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1
