"""Where an HTML block starts and ends (CommonMark 0.31, section 4.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hearth.lazy import regex

_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_NAMED = regex(rf"</?(?:{_TAGS})(?:[ \t]|/?>|$)", re.IGNORECASE)
_RAW = regex(r"<(?:script|pre|style|textarea)(?:[ \t>]|$)", re.IGNORECASE)
_RAW_END = regex(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_VALUE = r"""(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+")"""
_ATTRIBUTE = rf"[ \t]++[A-Za-z_:][\w.:-]*+(?:[ \t]*+=[ \t]*+{_VALUE})?+"
_LONE = regex(rf"(?:<[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?>|</[A-Za-z][A-Za-z0-9-]*+[ \t]*+>)[ \t]*+$")
_DECLARATION = regex(r"<![A-Za-z]")


def opens(row: str, *, in_paragraph: bool) -> bool:
    """Whether a line, given from its first ``<``, starts an HTML block; a lone tag can't interrupt a paragraph."""
    return _ending(row) is not None or bool(_NAMED.match(row)) or (not in_paragraph and bool(_LONE.match(row)))


def end(rows: Sequence[str], first: int) -> int:
    """The line after the HTML block that starts on line ``first``."""
    closing = _ending(rows[first].lstrip(" \t"))
    last = first
    if closing is None:
        while last + 1 < len(rows) and rows[last + 1].strip():
            last += 1
        return last + 1
    while last < len(rows) and not closing.search(rows[last]):
        last += 1
    return min(last + 1, len(rows))


_ENDINGS = (
    ("<!--", regex("-->")),
    ("<?", regex(r"\?>")),
    ("<![CDATA[", regex(r"\]\]>")),
)
_DECLARATION_END = regex(">")


def _ending(row: str) -> re.Pattern[str] | None:
    """What ends the kinds of block that a blank line doesn't end."""
    for mark, closing in _ENDINGS:
        if row.startswith(mark):
            return closing
    if _DECLARATION.match(row):
        return _DECLARATION_END
    return _RAW_END if _RAW.match(row) else None
