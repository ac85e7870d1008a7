"""Frontmatter of other programs: TOML of Hugo, JSON, the title block of pandoc, keywords of Org, MultiMarkdown, and
what MDX exports. A block is taken only where nothing else is meant by it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from hearth.core.lazy import regex

_Value = str | tuple[str, ...]
_DEPTH = 8
_TOML = regex(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", 16 | 8)  # DOTALL, MULTILINE
_PANDOC = regex(r"%[ \t]*([^\n]*(?:\n[ \t]+[^\n]+)*)\n?")
_PANDOC_KEYS = ("title", "author", "date")
_ORG = regex(r"#\+([\w-]+):[ \t]*([^\n]*?)[ \t]*\r?(?:\n|\Z)")
_ORG_LISTS = {"filetags": "tags", "tags": "tags", "roam_tags": "tags", "roam_alias": "aliases"}
_MULTIMARKDOWN = regex(r"([A-Za-z][\w -]{0,40}):(?!:)[ \t]*(\S[^\n]*?)[ \t]*\r?(?:\n|\Z)")
_CONTINUED = regex(r"[ \t]+(\S[^\n]*?)\r?(?:\n|\Z)")
_IMPORT = regex(r"(?:import\s[^\n]*\n|\s*\n)+")
_EXPORT = regex(r"export\s+const\s+(?:metadata|meta|frontmatter|frontMatter)\s*=\s*(\{)")
_PAIR = regex(
    r"""[{,\s](?:["'](\w+)["']|(\w+))\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`$]*)`|\[([^\[\]{}]*)\])"""
)
_QUOTED = regex(r"""["']([^"']*)["']""")


class OtherHead(NamedTuple):
    """``end`` is where the body begins."""

    fields: dict[str, _Value]
    end: int
    problem: str | None = None


def read(text: str) -> OtherHead | None:
    """``None`` where a text begins with none of them."""
    return _toml(text) or _json(text) or _pandoc(text) or _org(text) or _multimarkdown(text) or _mdx(text)


def _toml(text: str) -> OtherHead | None:
    block = _TOML.match(text)
    if block is None:
        return None
    try:
        return OtherHead(_flat(tomllib.loads(block[1].replace("\r\n", "\n"))), block.end())
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return OtherHead({}, 0, f"not read: {error}")


def _json(text: str) -> OtherHead | None:
    if not text.startswith("{"):
        return None
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    behind = text[end:].lstrip(" \t\r")
    if not isinstance(found, dict) or not found or not behind.startswith("\n") or not behind.strip():
        return None
    return OtherHead(_flat(found), len(text) - len(behind) + 1)


def _flat(table: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, _Value]:
    fields: dict[str, _Value] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            fields |= _flat(value, f"{name}.", depth + 1) if depth < _DEPTH else {}
        elif isinstance(value, list):
            fields[name] = tuple(_text(item) for item in value if not isinstance(item, dict | list))
        elif value is not None:
            fields[name] = _text(value)
    return fields


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _pandoc(text: str) -> OtherHead | None:
    """Up to three lines: title, authors, date."""
    fields: dict[str, _Value] = {}
    end = 0
    for key in _PANDOC_KEYS:
        line = _PANDOC.match(text, end)
        if line is None or text.startswith("%%", end):
            break
        if value := " ".join(line[1].split()):
            fields[key] = value
        end = line.end()
    return OtherHead(fields, end) if fields else None


def _org(text: str) -> OtherHead | None:
    fields: dict[str, _Value] = {}
    end = 0
    while (line := _ORG.match(text, end)) is not None:
        key, value = line[1].lower(), line[2]
        if key in _ORG_LISTS and value:
            parts = value.strip(":").split(":") if value.startswith(":") else value.replace('"', " ").split()
            fields[_ORG_LISTS[key]] = tuple(parts)
        elif value:
            fields.setdefault(key, value)
        end = line.end()
    return OtherHead(fields, end) if "title" in fields or "date" in fields else None


def _multimarkdown(text: str) -> OtherHead | None:
    """Lines of ``Key: value`` that begin with the title, up to an empty line."""
    if text[:6].lower() != "title:":
        return None
    fields: dict[str, _Value] = {}
    end, last = 0, ""
    while end < len(text):
        if last and (more := _CONTINUED.match(text, end)):
            fields[last] = f"{fields[last]} {more[1]}"
            end = more.end()
        elif line := _MULTIMARKDOWN.match(text, end):
            last = line[1].strip().lower()
            fields[last] = line[2]
            end = line.end()
        else:
            break
    empty = end >= len(text) or text[end] in "\r\n"
    return OtherHead(fields, end) if empty else None


def _mdx(text: str) -> OtherHead | None:
    imports = _IMPORT.match(text) if text.startswith("import") else None
    export = _EXPORT.match(text, imports.end() if imports else 0)
    if export is None:
        return None
    depth, end = 0, export.start(1)
    for end in range(export.start(1), len(text)):
        depth += (text[end] in "{[") - (text[end] in "}]")
        if depth == 0:
            break
    fields: dict[str, _Value] = {}
    for pair in _PAIR.finditer(text, export.start(1), end + 1):
        texts = [value for value in pair.groups()[2:5] if value is not None]
        key = pair[1] or pair[2]
        fields.setdefault(key, texts[0] if texts else tuple(_QUOTED.findall(pair[6] or "")))
    newline = text.find("\n", end)
    return OtherHead(fields, len(text) if newline < 0 else newline + 1) if fields and depth == 0 else None
