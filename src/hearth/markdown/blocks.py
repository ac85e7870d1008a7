"""Lines of markdown to blocks: the outline of CommonMark with GFM tables and HTML, without inline parsing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from hearth.core.lazy import regex

Value = str | tuple[str, ...]
"""Of a field."""
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


MAX_TITLE = 200


class MarkdownBlock(NamedTuple):
    """Lines ``first`` to ``end`` (0-based, half-open) of one kind.

    Kinds: ``heading text list code table quote html rule blank``; ``blank`` only where a text holds nothing else.
    """

    kind: str
    first: int
    end: int
    level: int = 0
    title: str = ""


_ATX = regex(r"(#{1,6})(?:[ \t]+(.*))?$")
_ATX_TAIL = regex(r"(?:^|[ \t])#+[ \t]*$")
_SETEXT = regex(r"(?:=+|-+)[ \t]*$")
_RULE = regex(r"(?:(?:\*[ \t]*+){3,}|(?:-[ \t]*+){3,}|(?:_[ \t]*+){3,})$")
_MARKER = regex(r"(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)")
_EMPTY_ITEM = regex(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]*$")
_FENCE = regex(r"(?:(`{3,})[^`]*|(~{3,}).*)$")
_DELIMITERS = regex(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_LINK = regex(r"!?\[([^\[\]]*)\]\([^()]*\)")
_WIKILINK = regex(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
# Its anchor and classes, for a program: "{ #start .wide }", "{: #start }", "{/*start*/}".
_ATTRIBUTES = regex(r"(?<=\S)[ \t]*\{(?::?[ \t]*[#.:][^{}]*|/\*[^{}]*\*/)\}[ \t]*$")
_EMPHASIS = regex(r"\*+(?=\S)|(?<=\S)\*+|~~|`+")
_BULLETS = frozenset("-+*_0123456789")
_TELLING = frozenset("#`~>|:=<-+*_0123456789")


def scan(rows: Sequence[str], first: int = 0) -> Iterator[MarkdownBlock]:
    """The blocks of lines ``first`` and after, in order."""
    count = len(rows)
    start = position = first
    while position < count:
        row = rows[position]
        body = row.lstrip(" \t")
        if not body:
            position += 1
            continue
        kind, end, level, title = _block(rows, position, row, body)
        while end < count and not rows[end].strip(" \t"):
            end += 1
        yield MarkdownBlock(kind, start, end, level, title)
        start = position = end
    if start < count:
        yield MarkdownBlock("blank", start, count)


def plain(title: str) -> str:
    """A heading's words without markup, at most ``MAX_TITLE`` characters."""
    if not title.isalnum():
        title = _ATTRIBUTES.sub("", title) if title.endswith("}") else title
        title = _EMPHASIS.sub("", _LINK.sub(r"\1", _WIKILINK.sub(r"\1", title)))
    title = " ".join(title.split())
    return title if len(title) <= MAX_TITLE else title[:MAX_TITLE].rsplit(" ", 1)[0]


def indent(row: str, body: str) -> int:
    """Columns before ``body``, tabs to every fourth."""
    space = len(row) - len(body)
    if space and "\t" in row[:space]:
        return len(row[:space].expandtabs(4))
    return space


_Found = tuple[str, int, int, str]


def _block(rows: Sequence[str], at: int, row: str, body: str) -> _Found:
    """Kind, end, level and title of the block that starts on a line which is not blank."""
    if row is not body and indent(row, body) >= 4:
        return "code", _indented_end(rows, at), 0, ""
    mark = body[0]
    if mark not in _TELLING:
        return _paragraph(rows, at)
    if mark == "#" and (heading := _ATX.match(body)):
        return "heading", at + 1, len(heading[1]), plain(_ATX_TAIL.sub("", (heading[2] or "").strip()))
    if mark in "`~" and (fence := _FENCE.match(body)):
        return "code", _fence_end(rows, at + 1, fence[1] or fence[2]), 0, ""
    if mark == ">":
        return "quote", _quote_end(rows, at), 0, ""
    if mark == "<" and opens(body, in_paragraph=False):
        return "html", end(rows, at), 0, ""
    if mark in _BULLETS:
        if _RULE.match(body):
            return "rule", at + 1, 0, ""
        if _MARKER.match(body):
            return "list", _item_end(rows, at), 0, ""
    return _paragraph(rows, at)


def _paragraph(rows: Sequence[str], at: int) -> _Found:
    """A paragraph, or the setext heading or table that its second or later line makes of it."""
    position, count = at + 1, len(rows)
    while position < count:
        row = rows[position]
        body = row.lstrip(" \t")
        if not body:
            break
        if body[0] in _TELLING and (body is row or indent(row, body) < 4):
            if body[0] in "=-" and _SETEXT.match(body):
                title = plain(" ".join(rows[at:position]))
                return "heading", position + 1, 1 if body[0] == "=" else 2, title
            if body[0] in "|:-" and _heads_table(rows[position - 1], body):
                if position - 1 == at:
                    return "table", _table_end(rows, position + 1), 0, ""
                return "text", position - 1, 0, ""
            if _interrupts(body):
                break
        position += 1
    return "text", position, 0, ""


def _interrupts(body: str) -> bool:
    """Whether a line ends the paragraph above it."""
    mark = body[0]
    if mark == "#":
        return _ATX.match(body) is not None
    if mark in "`~":
        return _FENCE.match(body) is not None
    if mark in _BULLETS:
        if _RULE.match(body):
            return True
        marker = _MARKER.match(body)
        if marker is None or not body[marker.end() :].strip():
            return False
        return not mark.isdigit() or int(marker[0][:-1]) == 1
    return mark == ">" or (mark == "<" and opens(body, in_paragraph=True))


def _heads_table(header: str, body: str) -> bool:
    return "|" in body and "|" in header and bool(_DELIMITERS.match(body)) and _cells(header) == _cells(body)


def _cells(row: str) -> int:
    row = row.strip()
    bars = row.count("|") - row.count("\\|")
    return bars + 1 - row.startswith("|") - (row.endswith("|") and not row.endswith("\\|"))


def _table_end(rows: Sequence[str], position: int) -> int:
    while position < len(rows):
        row = rows[position]
        body = row.lstrip(" \t")
        if (
            not body
            or indent(row, body) >= 4
            or (body[0] != "|" and body[0] in _TELLING and (_interrupts(body) or _MARKER.match(body)))
        ):
            break
        position += 1
    return position


def _indented_end(rows: Sequence[str], at: int) -> int:
    last = at
    for position in range(at + 1, len(rows)):
        row = rows[position]
        body = row.lstrip(" \t")
        if not body:
            continue
        if indent(row, body) < 4:
            break
        last = position
    return last + 1


def _fence_end(rows: Sequence[str], position: int, fence: str) -> int:
    """The line after the closing fence; the end of the text where nothing closes it."""
    while position < len(rows):
        row = rows[position]
        if fence in row and _closes(row, row.lstrip(" \t"), fence):
            return position + 1
        position += 1
    return position


def _closes(row: str, body: str, fence: str) -> bool:
    return body.startswith(fence) and not body.strip(" \t").strip(fence[0]) and indent(row, body) < 4


def _continues(content: str) -> bool:
    """Whether a line of a list item or quote may be a paragraph, which a lazy line after it continues."""
    content = content.strip(" \t")
    return bool(content) and not (content[0] in _TELLING and any(form.match(content) for form in (_ATX, _FENCE, _RULE)))


def _quote_end(rows: Sequence[str], at: int) -> int:
    position = at + 1
    while position < len(rows):
        row = rows[position]
        body = row.lstrip(" \t")
        if not body:
            break
        if body[0] != ">":
            if indent(row, body) < 4 and body[0] in _TELLING and (_interrupts(body) or _MARKER.match(body)):
                break
            above = rows[position - 1].lstrip(" \t")
            if above[0] == ">" and not _continues(above.lstrip("> \t")):
                break
        position += 1
    return position


def _item_end(rows: Sequence[str], at: int) -> int:
    """The line after a list item; lines indented to its content belong to it, and so do lazy paragraph lines."""
    offsets: list[int] = []
    row = rows[at]
    fence, lazy = _open_markers(row, indent(row, row.lstrip(" \t")), offsets)
    last, gap = at, False
    for position in range(at + 1, len(rows)):
        row = rows[position]
        body = row.lstrip(" \t")
        if not body:
            if position == at + 1 and _EMPTY_ITEM.match(rows[at]):
                return position
            gap = True
            continue
        depth = indent(row, body)
        if fence and depth >= offsets[-1]:
            if body.startswith(fence) and not body.strip(" \t").strip(fence[0]):
                fence, lazy = "", False
        elif depth >= offsets[0]:
            while depth < offsets[-1]:
                offsets.pop()
            fence, lazy = _open_markers(row, depth, offsets)
        elif gap or not lazy or (depth < 4 and body[0] in _TELLING and (_interrupts(body) or _MARKER.match(body))):
            break
        last, gap = position, False
    return last + 1


def _open_markers(row: str, depth: int, offsets: list[int]) -> tuple[str, bool]:
    """Notes where the content of the items that start on this line stands.

    Returns the fence that opens after them, or "", and whether a lazy line may follow.
    """
    at = len(row) - len(row.lstrip(" \t"))
    while marker := _MARKER.match(row, at):
        after = marker.end()
        content = after
        while content < len(row) and row[content] in " \t":
            content += 1
        space = len(row[after:content].expandtabs(4)) if "\t" in row[after:content] else content - after
        width = after - at + (space if 1 <= space <= 4 and content < len(row) else 1)
        depth += width
        offsets.append(depth)
        if space > 4 and content < len(row):  # code
            return "", False
        at = content
    fence = _FENCE.match(row, at)
    return (fence[1] or fence[2]) if fence else "", _continues(row[at:])


BOM = "\ufeff"


class Lines:
    """The lines of a text, ended by ``\\n``; a carriage return before it counts as trailing space.

    ``rows`` holds them without line ends, of the same length as in the text (a byte order mark reads as a space).
    ``starts`` holds the offset of each line and, last, the text's length; a final empty line is no line.
    """

    __slots__ = ("rows", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        plain = text.replace("\r\n", " \n") if "\r" in text else text
        if plain.startswith(BOM):
            plain = " " + plain[1:]
        self.rows = plain.split("\n")
        self.starts = list(accumulate((len(row) + 1 for row in self.rows), initial=0))
        self.starts[-1] = len(text)
        if not self.rows[-1]:
            self.rows.pop()
            self.starts.pop()

    def number(self, offset: int) -> int:
        """The 1-based line that holds the character at ``offset``; the last line for an offset past the end."""
        return max(1, min(bisect_right(self.starts, offset), len(self.rows)))

    def offset(self, number: int) -> int:
        """Where the 1-based line starts; the text's length for a line past the last."""
        return self.starts[min(max(number, 1) - 1, len(self.rows))]


_BEGINS = regex(r"\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|>|[|]|`{3}|~{3}|[\w-]{1,30}::?\s)")
_NO_PROSE = regex(r"\s*(?:#{1,6}\s|[|]|`{3}|~{3}|-{3,}\s*$)")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each on one line, with the number of the line that it begins on; a list's entries are paragraphs."""
    start, rows = 0, list[str]()
    for at, row in enumerate([*text.split("\n"), ""]):
        if rows and (not row.strip() or _BEGINS.match(row)):
            yield start, " ".join(rows)
            rows = []
        if row.strip() and not _NO_PROSE.match(row):
            start = at if not rows else start
            rows.append(row.strip())


# Han, kana, hangul, Thai, Lao, Burmese, Khmer: about two characters carry what an English word does.
_CLASS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_UNSPACED = regex(f"[{_CLASS}]+")
_UNSPACED_OR_MARK = regex(f"[{_CLASS}\u3000-\u303f\uff00-\uffef]+")
UNSPACED_CHARS_PER_WORD = 2
# Runs without spaces (minified code, keys, base64) count by length; English prose has 6 characters to a word.
MAX_CHARS_PER_WORD = 12
# Padding costs next to nothing, but not nothing, so that a window of it ends too.
_SPACES_PER_WORD = 400


def words(text: str) -> float:
    """Length in words: runs between spaces, a character of an unspaced script as half a word; > 0 unless empty."""
    if text.isascii():
        return _space(text)
    unspaced = sum(map(len, _UNSPACED.findall(text)))
    if not unspaced:
        return _space(text)
    rest = _UNSPACED_OR_MARK.sub(" ", text).strip()
    return (_space(rest) if rest else 0) + unspaced / UNSPACED_CHARS_PER_WORD


def counter(text: str) -> Callable[[str], float]:
    """A function like ``words``, made as fast as this whole text allows, for use on its parts."""
    return words if not text.isascii() and _UNSPACED.search(text) else _space


def _space(text: str) -> float:
    length = len(text)
    return max(len(text.split()), (length - text.count(" ")) / MAX_CHARS_PER_WORD, length / _SPACES_PER_WORD)


def opening(text: str, count: int) -> str:
    """About the first ``count`` words on one line."""
    flat = " ".join(text[: count * 4 * MAX_CHARS_PER_WORD].split(None, count)[:count])
    if words(flat) <= count * 1.5:
        return flat
    return flat[: int(len(flat) * count / words(flat))]


# As ``markdown/marked_blocks.py`` writes them.
_OURS = regex(
    r"^[ \t]*<!-- hearth:(?:begin\b[^\n]*-->.*?^[ \t]*<!-- hearth:end"
    r"|instructions [^\n]*-->.*?^[ \t]*<!-- hearth:instructions:end) -->",
    re.MULTILINE | re.DOTALL,
)
_NOT_A_LINE_END = regex(r"[^\r\n]")


def blank_marked_blocks(text: str) -> str:
    """The text with spaces in place of what Hearth keeps in a file of people, edited or not; lines and offsets stay."""
    return _OURS.sub(lambda found: _NOT_A_LINE_END.sub(" ", found[0]), text) if "<!-- hearth:" in text else text


def drop_marked_blocks(text: str) -> str:
    return _OURS.sub("", text) if "<!-- hearth:" in text else text
