"""Writing frontmatter: blocks that every YAML reader reads as the strings they are, and changes of a few keys.

What people put into a block (keys of their own, comments, order) stays as they wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping

from hearth.core.lazy import regex
from hearth.markdown.blocks import BOM, Value
from hearth.markdown.frontmatter import split

# A scalar that needs no quotes wherever it stands, and that nobody takes for a number, a date or a truth value.
_PLAIN = regex(r"[^\W\d_][\w./@+-]*(?: [\w./@+-]+)*\Z")
_WORDS = frozenset(("y", "yes", "n", "no", "true", "false", "on", "off", "null"))
_DATE = regex(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?\Z")
_NUMBER = regex(r"(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_KEY_LINE = regex(r"([^\s#:'\"\[\]{},&*!|>%@`?-][^:#\r\n]*?)[ \t]*:(?:[ \t\r]|$)")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# Quoted as numbers (0123) or left bare by choice: these hold what their names say.
_TYPED = frozenset({"authored_at", "due_at", "expires_at", "pending_since", "confidence", "importance"})


def document(fields: Mapping[str, Value], body: str) -> str:
    """A whole file: the block, an empty line, the body with one line end after it. Empty lists are left out."""
    lines = "".join(line(key, value) for key, value in fields.items() if value != ())
    return f"---\n{lines}---\n\n{body.strip(chr(10))}\n"


def changed(source: str, changes: Mapping[str, Value | None], body: str) -> str:
    """``source`` with another body and other values of some keys, ``None`` or an empty list removing one.

    Lines of other keys stay as they are. Where the block is written so that this would say something else, it is
    rendered anew from what was read.
    """
    merged = {**split(source).fields, **changes}
    wanted = {key: value for key, value in merged.items() if value is not None and value != ()}
    rest = {key: line(key, value) for key, value in wanted.items() if key in changes}
    kept: list[str] = []
    dropping = False
    for row in _block(source):
        key = _KEY_LINE.match(row)
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
    return text if same else document(wanted, body)


def body_of(source: str) -> str:
    """What stands below the frontmatter, without empty lines around it."""
    return source[split(source).end_char :].removeprefix(BOM).strip("\r\n")


def _block(source: str) -> list[str]:
    """The lines between the block's marks, each with one line end."""
    head = split(source)
    rows = source[: head.end_char].removeprefix(BOM).replace("\r\n", "\n").split("\n")
    return [row + "\n" for row in rows[1 : head.end_line - 1]]


def line(key: str, value: Value) -> str:
    if isinstance(value, str):
        return f"{key}: {_scalar(value, typed=key in _TYPED)}\n"
    return f"{key}: [{', '.join(_scalar(item) for item in value)}]\n"


def _scalar(text: str, *, typed: bool = False) -> str:
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
