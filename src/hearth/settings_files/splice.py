"""Edits of JSON text: add, replace and take out an entry; every other byte stays. Taking out undoes adding."""

from __future__ import annotations

import json
import re
from typing import Any

from hearth.core.lazy import regex
from hearth.settings_files.jsonc import JsonNode, after_blank

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
