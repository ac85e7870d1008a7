"""How a note is laid out: the labels in its first lines, its title as written, and its sections with how they begin."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from hearth.core.lazy import dataclass, regex
from hearth.text.lines import FENCE
from hearth.text.words import cues, rows

_CHARS = 32_768
_FIRST_LINES = 15
_SECTION_LINES = 6
_HEADING = regex(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$")
_UNDERLINE = regex(r" {0,3}(=+|-{3,})[ \t]*$")
# A line that is all bold, or ends in a colon, heads a section where people don't write headings.
_BOLD = regex(
    r"[ \t]*(?:\*\*|__)([^*_\n]{2,60}?)[:：]?(?:\*\*|__)[:：]?[ \t]*$|([^\W\d_][^:：*_|\n]{1,38})[:：][ \t]*$"
)
_NUMBERED = regex(r"^(?:\d{1,2}(?:\.\d{1,2})*[.):]?|[a-z][.)])[ \t]+", re.IGNORECASE)
_ORG = regex(r"[ \t]*#\+([\w-]+):[ \t]*(\S.*)$")
_DRAWER = regex(r"[ \t]*:([A-Za-z][\w-]*):[ \t]+(\S.*)$")
_LABEL = regex(
    r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+•]|\d{1,2}\.)[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"[*_]{0,3}([^\W\d_][^:：*_|\n]{0,38}?)[*_]{0,3}[ \t]*[:：][ \t]*[*_]{0,3}[ \t]*(\S.*)$"
)
# A label, an Org keyword and a drawer have a colon, a date has a digit.
_LABELLED = regex(r"[:：\d]")
_ROW = regex(r"[ \t]*\|(.+?)\|?[ \t]*$")
_RULER = regex(r"[ \t:|-]+$")
# Where one line holds several labels, or a label stands behind a sentence.
_NAMED = r"(?=[*_]{0,3}[^\W\d_][^:：|]{0,38}[:：])"
_PARTS = regex(rf"(?<=[^\s.])\.[ \t]+(?=[^\W\d_]+[:：])|[ \t]+[|·•][ \t]+{_NAMED}|;[ \t]+{_NAMED}|[ \t]{{2,}}$")
# One of these is in each of them.
_PARTING = (". ", ".\t", ";", "|", "·", "•", "  ", " \t", "\t ", "\t\t")
# A label without a colon, before a date: "Decided on 3 March 2024".
_DATED = regex(r"[ \t>*_+-]*((?:[^\W\d_]+[ \t]+){1,4})(?=\S*\d|\S+[ \t]\d)[^\n]{4,40}$")
_SEPARATORS = regex(r"[-_.\s]+")
_MARKS = "*_`~ \t"
BOLD = 7
"""The level of a line in bold that heads a section."""


class Section(NamedTuple):
    """``lines`` are the first ones that are not empty below its heading; ``level`` is ``BOLD`` for a line in
    bold."""

    level: int
    title: str
    lines: tuple[str, ...]


class Label(NamedTuple):
    """``name`` and ``value`` without the marks of bold and italics around them."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Outline:
    """``first`` are the lines that a note begins with, outside of code."""

    first: tuple[str, ...]
    labels: tuple[Label, ...]
    sections: tuple[Section, ...]

    @property
    def headings(self) -> Iterator[str]:
        """Of all levels, as plain words."""
        return (section.title for section in self.sections)

    @property
    def opening(self) -> str:
        """The heading that the note begins with; empty where it begins with something else."""
        heading = _HEADING.match(self.first[0]) if self.first else None
        return heading[2] if heading else ""

    def values(self, kind: str) -> Iterator[str]:
        """What the labels of a kind of the table say, in their order."""
        return (label.value for label in self.labels if names(kind, label.name))


def names(kind: str, text: str) -> bool:
    """Whether a label, a title or the name of a folder is, as a whole, one of a kind of the table."""
    return kind in read_kinds(text)


@lru_cache(maxsize=4_096)
def read_kinds(text: str) -> frozenset[str]:
    """The kinds in the table that a text names. Most name none, which one match tells."""
    if _any_kind().fullmatch(text) is None:
        return frozenset()
    return frozenset(kind for kind in _kinds() if cues("note_heads", kind).fullmatch(text))


@cache
def _kinds() -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.kind for row in rows("note_heads")))


@cache
def _any_kind() -> re.Pattern[str]:
    return re.compile("|".join(row.expression for row in rows("note_heads")), re.IGNORECASE)


@lru_cache(maxsize=1_024)
def name_words(name: str) -> str:
    """The name of a file or folder with spaces for what parts its words."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFC", name)).strip()


def read_outline(body: str) -> Outline:
    rows = list(_without_code(body[:_CHARS].split("\n")))
    sections = _sections(rows)
    first: list[str] = []
    for row in rows:
        if row.strip():
            first.append(row.rstrip("\r"))
            if len(first) == _FIRST_LINES:
                break
    return Outline(tuple(first), tuple(_labels(first)), tuple(sections))


def _without_code(rows: Sequence[str]) -> Iterator[str]:
    code = False
    for row in rows:
        if FENCE.match(row):
            code = not code
        elif not code:
            yield row


def _sections(rows: Sequence[str]) -> list[Section]:
    heads: list[tuple[int, int, str]] = []
    for at, row in enumerate(rows):
        if "#" in row and (heading := _HEADING.match(row)):
            heads.append((at, len(heading[1]), heading[2]))
        elif at and row[:1] in "=-" and _UNDERLINE.match(row) and rows[at - 1].strip() and "|" not in rows[at - 1]:
            if not (heads and heads[-1][0] == at - 1):
                heads.append((at, 1 if row[0] == "=" else 2, rows[at - 1]))
        elif (":" in row or "：" in row or "**" in row or "__" in row) and (bold := _BOLD.match(row)):
            heads.append((at, BOLD, bold[1] or bold[2]))
    found: list[Section] = []
    ends = [*(at for at, *_ in heads[1:]), len(rows)]
    for (at, level, title), end in zip(heads, ends, strict=False):
        below = [row.strip() for row in rows[at + 1 : min(end, at + 20)] if row.strip()]
        found.append(Section(level, plain(title), tuple(below[:_SECTION_LINES])))
    return found


def plain(title: str) -> str:
    """A heading without marks and without its number."""
    return _NUMBERED.sub("", title.strip(_MARKS)).strip(_MARKS + ":：")


def _labels(rows: Sequence[str]) -> Iterator[Label]:
    table: list[str] = []
    for row in rows:
        if "|" in row and (line := _ROW.match(row)):
            cells = [cell.strip(_MARKS) for cell in line[1].split("|")]
            if _RULER.match(row):
                continue
            if len(cells) == 2:
                yield Label(*(cell.strip(" :：") for cell in cells))
            if table and len(table) == len(cells):
                yield from (Label(name, value) for name, value in zip(table, cells, strict=True) if name != value)
            table = table or cells
            continue
        table = []
        if _LABELLED.search(row) is None:
            continue
        if row.lstrip(" \t")[:1] in "#:" and (special := _ORG.match(row) or _DRAWER.match(row)):
            yield Label(special[1], special[2])
            continue
        for part in _PARTS.split(row) if any(mark in row for mark in _PARTING) else (row,):
            if (":" in part or "：" in part) and (line := _LABEL.match(part)):
                yield Label(line[1].strip(), line[2].strip(_MARKS))
            elif dated := _DATED.match(part):
                yield from _name_dated(part.strip(" \t>*_+-"), len(dated[1].split()))


def _name_dated(text: str, words: int) -> Iterator[Label]:
    """Each way to part the words before a date from it."""
    for count in range(1, words + 1):
        parts = text.split(None, count)
        yield Label(" ".join(parts[:count]), parts[-1].strip(_MARKS))
