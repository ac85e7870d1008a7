"""Frontmatter: the block of ``key: value`` lines at the top of a file, read without trusting it, and written.

A scanner of our own reads flat keys with strings and lists of strings, which is what nearly all files hold. Anything
else goes through PyYAML's event stream, never its constructors: no types, tags, anchors, aliases or merge keys.

Written blocks hold strings that every YAML reader reads as such. What people put into a block (keys of their own,
comments, order) stays as they wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import NamedTuple

from hearth.core.lazy import dataclass, regex
from hearth.markdown.blocks import BOM, Value

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8

Fields = dict[str, Value]
NO_FIELDS: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """``end_line`` is the last line of the block, its closing line included (0: no block); the body starts at
    ``end_char``. ``problem`` says what is wrong; with no fields the whole file counts as body."""

    fields: Mapping[str, Value] = field(default_factory=lambda: NO_FIELDS)
    end_line: int = 0
    end_char: int = 0
    problem: str | None = None


class _Refused(Exception):
    """The block can't be read; the message says why and where."""


class _NotSimple(Exception):
    """The block is outside the scanner's subset."""


NONE = Frontmatter()
# How the blocks of other programs may begin, and the key of MultiMarkdown's.
_OTHER_STARTS = frozenset("+{%#tTei")
_OPEN = regex(r"---[ \t]*\r?\n")
_CLOSE = regex(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_KEY_LINE = regex(r"[\w\"'][^:\n]*:(?:\s|$)")
_KEY = regex(r"([^\s#:'\"\[\]{},&*!|>%@`?\-][^:#]*+):(?:[ \t]+(.*))?$")
_COMMENT = regex(r"(?:^|[ \t])#.*$")
_ITEM = regex(r"[ \t]*-(?:[ \t]+(.*))?$")
_STRICT_START = frozenset("&*!|>%@`{}[],?\"'")
_DOUBLE = regex(r'"([^"\\]*)"[ \t]*(?:#.*)?$')
_SINGLE = regex(r"'([^']*)'[ \t]*(?:#.*)?$")
# What a template leaves to be filled in; to YAML it would be a table.
_PLACEHOLDER = regex(r"(?:\{\{[^{}]*\}\}|<%.*?%>)[ \t]*$")
# To YAML a list in a list.
_LINK = regex(r"\[\[[^\[\],\n]+\]\]")
_FLOW_ITEM = regex(r"""[ \t]*+(?:"([^"\\]*)"|'([^']*)'|([^\s,\[\]{}"'&*!|>%@`#?:-][^,\[\]{}"'#:]*)|)[ \t]*+(?:,|$)""")


def split(text: str) -> Frontmatter:
    """The frontmatter of a file, ``NONE`` where it has none. Never raises; cost is bounded by ``MAX_BYTES``."""
    skip = len(BOM) if text.startswith(BOM) else 0
    if not text.startswith("---", skip):
        return _split_other(text, skip)
    opening = _OPEN.match(text, skip)
    if opening is None:
        return NONE
    closing = _CLOSE.search(text, opening.end(), opening.end() + MAX_BYTES + 8)
    if closing is None:
        return _read_unclosed(text, opening.end())
    block = text[opening.end() : closing.start()]
    try:
        if len(block) > MAX_BYTES or (not block.isascii() and len(block.encode("utf-8", "replace")) > MAX_BYTES):
            raise _Refused(f"it is longer than {MAX_BYTES // 1024} KiB")
        fields, problem = _read(block)
    except _Refused as error:
        return NONE if _is_rule(block) else Frontmatter(problem=f"not read: {error}")
    end_char = min(closing.end() + 1, len(text))
    return Frontmatter(MappingProxyType(fields), block.count("\n") + 2, end_char, problem)


def _read_unclosed(text: str, start: int) -> Frontmatter:
    if not _KEY_LINE.match(text, start):
        return NONE
    if len(text) - start > MAX_BYTES:
        return Frontmatter(problem=f"not read: no closing --- within {MAX_BYTES // 1024} KiB")
    return Frontmatter(problem="not read: the closing --- is missing")


def _is_rule(block: str) -> bool:
    """A thematic break on line 1 is followed by a blank line, frontmatter isn't."""
    return not block.split("\n", 1)[0].strip()


def _split_other(text: str, skip: int) -> Frontmatter:
    """The block of another program: in TOML, JSON, of pandoc, Org, MultiMarkdown or MDX."""
    if text[skip : skip + 1] not in _OTHER_STARTS:
        return NONE
    from hearth.markdown import origins

    found = origins.read(text[skip : skip + MAX_BYTES])
    if found is None:
        return NONE
    end = skip + found.end
    return Frontmatter(MappingProxyType(found.fields), text.count("\n", 0, end), end, found.problem)


def _read(block: str) -> tuple[Fields, str | None]:
    """Fields, and what is wrong with one of them."""
    if "\r" in block:
        block = block.replace("\r\n", "\n")
    fields, twice = _read_yaml(block)
    return (
        fields,
        twice if twice is None or " " in twice else f"key {twice!r} is given more than once; the last one counts",
    )


def _read_yaml(block: str) -> tuple[Fields, str | None]:
    """Fields, and a key that is given twice or, in words, a line that is not valid YAML."""
    try:
        return _simple(block)
    except _NotSimple:
        # PyYAML takes 20 ms to import; most vaults never need it.
        from hearth.core import yaml_tree

        try:
            return yaml_tree.read_fields(block, MAX_DEPTH)
        except yaml_tree.MalformedYaml as error:
            fields = _read_good_keys(block)
            if not fields:
                raise _Refused(f"line {error.line + 1}: {error.problem}" if error.line else error.problem) from None
            return fields, f"line {error.line + 1} is not valid YAML ({error.problem}); the other keys count"
        except yaml_tree.YamlRefused as error:  # the block starts on the second line of the file
            where = f"line {error.line + 1}: " if error.line else ""
            raise _Refused(where + error.problem) from None


def _read_good_keys(block: str) -> Fields:
    """The keys that can be read, each by itself; of a list its lines as they stand."""
    from hearth.core import yaml_tree

    chunks: list[str] = []
    for row in block.split("\n"):
        if chunks and (not row.strip() or row[0] in " \t-#]}"):
            chunks[-1] += f"\n{row}"
        else:
            chunks.append(row)
    fields: Fields = {}
    for chunk in chunks:
        try:
            fields |= _simple(chunk)[0]
        except _NotSimple:
            try:
                fields |= yaml_tree.read_fields(chunk, MAX_DEPTH)[0]
            except yaml_tree.YamlRefused:
                rows = chunk.split("\n")
                items = [item[1] for row in rows[1:] if row.strip() and (item := _ITEM.match(row)) and item[1]]
                key = _KEY.match(rows[0])
                if key and not key[2] and items and len(items) == sum(bool(row.strip()) for row in rows[1:]):
                    fields[key[1].rstrip()] = tuple(item.strip().strip("\"'") for item in items)
    return fields


def _simple(block: str) -> tuple[Fields, str | None]:
    fields: Fields = {}
    twice: str | None = None
    key = ""
    items: list[str] | None = None
    for row in block.split("\n"):
        if not row or row.isspace() or row[0] == "#":
            continue
        found = _KEY.match(row)
        if found is None:
            item = _ITEM.match(row)
            if item is None or items is None:
                raise _NotSimple
            value = _scalar(item[1] or "")
            if _KEY.match(value):
                raise _NotSimple
            items.append(value)
            fields[key] = tuple(items)
            continue
        key = found[1].rstrip()
        if key in fields:
            twice = key
        if key == "<<":
            raise _NotSimple
        raw = found[2]
        value_or_list = _value(raw) if raw else ""
        fields[key] = value_or_list
        items = [] if value_or_list == "" and not (raw and raw[0] in "\"'") else None
    return fields, twice


def _value(raw: str) -> Value:
    if raw[0] != "[":
        return _scalar(raw)
    raw = raw.rstrip()
    if _LINK.fullmatch(raw):
        return raw
    if raw[-1] != "]":
        raise _NotSimple
    inner = raw[1:-1].strip()
    items: list[str] = []
    at = 0
    while at < len(inner):
        item = _FLOW_ITEM.match(inner, at)
        if item is None or item.lastindex is None:
            raise _NotSimple
        value: str = item[item.lastindex]
        items.append(value.rstrip() if item.lastindex == 3 else value)
        at = item.end()
    return tuple(items)


def _scalar(raw: str) -> str:
    first = raw[:1]
    if first in _STRICT_START and first:
        if _PLACEHOLDER.match(raw):
            return raw.rstrip()
        quoted = _DOUBLE.match(raw) or _SINGLE.match(raw)
        if quoted is None:
            raise _NotSimple
        return quoted[1]
    if "#" in raw:
        raw = _COMMENT.sub("", raw)
    if raw[:2] in ("- ", "-"):
        raise _NotSimple
    return raw.strip()


_ITEM_START = regex(r"\s*-(?:\s|$)")
_INSIDE = (" ", "\t", "-", "#", "]", "}")


class PlacedValue(NamedTuple):
    """A value of a field: ``line`` counts from 0 in the text; ``whole`` is false where it is a plain text, which may
    name several things with commas between."""

    key: str
    text: str
    line: int
    whole: bool


def place_values(text: str) -> Iterator[PlacedValue]:
    """Of each field of a file's frontmatter, in order; where a value's own line can't be told, that of its key."""
    fields = split(text).fields
    rows = text.split("\n")
    starts = {row.partition(":")[0].strip(" \t\"'"): at for at, row in enumerate(rows) if not row.startswith(_INSIDE)}
    for key, value in fields.items():
        start = starts.get(key, 0)
        behind = rows[start].partition(":")[2].strip() if rows else ""
        values = [value] if isinstance(value, str) else value
        whole = not isinstance(value, str) or behind.startswith(("'", '"'))
        for one, line in zip(values, _lines(rows, start, values), strict=True):
            yield PlacedValue(key, " ".join(one.split()), line, whole)


def _lines(rows: Sequence[str], start: int, values: Sequence[str]) -> Iterator[int]:
    following = range(start + 1, len(rows))
    end = next((at for at in following if rows[at].strip() and not rows[at].startswith(_INSIDE)), len(rows))
    items = [at for at in range(start + 1, end) if _ITEM_START.match(rows[at])]
    if len(items) == len(values):
        yield from items
        return
    block = dict(enumerate([rows[start].partition(":")[2], *rows[start + 1 : end]] if rows else [], start))
    at = start
    for value in values:
        at = next((line for line in range(at, end) if value in block[line]), at)
        yield at


# A scalar that needs no quotes wherever it stands, and that nobody takes for a number, a date or a truth value.
_PLAIN = regex(r"[^\W\d_][\w./@+-]*(?: [\w./@+-]+)*\Z")
_WORDS = frozenset(("y", "yes", "n", "no", "true", "false", "on", "off", "null"))
_DATE = regex(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?\Z")
_NUMBER = regex(r"(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_OWN_KEY = regex(r"([^\s#:'\"\[\]{},&*!|>%@`?-][^:#\r\n]*?)[ \t]*:(?:[ \t\r]|$)")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# Quoted as numbers (0123) or left bare by choice: these hold what their names say.
_TYPED = frozenset({"authored_at", "due_at", "expires_at", "pending_since", "confidence", "importance"})


def render(fields: Mapping[str, Value], body: str) -> str:
    """A whole file: the block, an empty line, the body with one line end after it. Empty lists are left out."""
    lines = "".join(render_line(key, value) for key, value in fields.items() if value != ())
    return f"---\n{lines}---\n\n{body.strip(chr(10))}\n"


def change(source: str, changes: Mapping[str, Value | None], body: str) -> str:
    """``source`` with another body and other values of some keys, ``None`` or an empty list removing one.

    Lines of other keys stay as they are. Where the block is written so that this would say something else, it is
    rendered anew from what was read.
    """
    merged = {**split(source).fields, **changes}
    wanted = {key: value for key, value in merged.items() if value is not None and value != ()}
    rest = {key: render_line(key, value) for key, value in wanted.items() if key in changes}
    kept: list[str] = []
    dropping = False
    for row in _block(source):
        key = _OWN_KEY.match(row)
        if key is not None:
            dropping = key[1] in changes
            if dropping and key[1] in rest:
                kept.append(rest.pop(key[1]))
        if not dropping or row.startswith("#"):
            kept.append(row)
    text = f"---\n{''.join(kept)}{''.join(rest.values())}---\n\n{body.strip(chr(10))}\n"
    head = split(text)
    same = (
        head.problem is None and dict(head.fields) == wanted and text[head.end_char :].strip("\n") == body.strip("\n")
    )
    return text if same else render(wanted, body)


def body_of(source: str) -> str:
    """What stands below the frontmatter, without empty lines around it."""
    return source[split(source).end_char :].removeprefix(BOM).strip("\r\n")


def _block(source: str) -> list[str]:
    """The lines between the block's marks, each with one line end."""
    head = split(source)
    rows = source[: head.end_char].removeprefix(BOM).replace("\r\n", "\n").split("\n")
    return [row + "\n" for row in rows[1 : head.end_line - 1]]


def render_line(key: str, value: Value) -> str:
    if isinstance(value, str):
        return f"{key}: {_quote(value, typed=key in _TYPED)}\n"
    return f"{key}: [{', '.join(_quote(item) for item in value)}]\n"


def _quote(text: str, *, typed: bool = False) -> str:
    if typed and (_DATE.match(text) or _NUMBER.match(text)):
        return text
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    if "\\" not in text and '"' not in text and text.isprintable():
        return f'"{text}"'
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    return f"\\U{ord(char):08x}"
