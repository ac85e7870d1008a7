"""``MEMORY.md``: one marked block of it is ours, and of that only the lines that nobody touched.

Nothing is ever rendered anew. Lines of ours are put in and taken out; every other byte stays as it is, so that what a
person wrote, moved or deleted is safe by construction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from urllib.parse import quote

from hearth.core.lazy import dataclass, regex
from hearth.pages.dream.fragments import HASH_CHARS, DreamFragment, Key

Counter = Callable[[str], int]
NAME = "MEMORY.md"
OWN_TOKENS = 400
"""What the person wrote there takes so many of a session's beginning; the rest is for what was promoted."""
HEADINGS = ("Preferences", "Decisions", "People", "Facts", "Lessons")
_HEADING_OF = {
    "preference": "Preferences", "decision": "Decisions", "commitment": "Decisions", "entity": "People",
    "relationship": "People", "correction": "Lessons", "antipattern": "Lessons", "principle": "Lessons",
    "skill": "Lessons", "deduction": "Lessons",
}  # fmt: skip
_END = "<!-- hearth:dream:end -->"
_MACHINE = r"[0-9a-z]{1,32}"
_START_ROW = regex(rf"<!-- hearth:dream machine=({_MACHINE}) -->\s*\Z")
_MARK = regex(r"<!--\s*hearth:dream(?::end)?\b")
_ITEM = regex(
    rf"- (?P<text>.+) <!-- hearth:p (?P<doc>[0-9A-Za-z_-]{{1,64}}):(?P<hash>[0-9a-f]{{{HASH_CHARS}}})"
    rf" (?P<seen>[0-9a-f]{{{HASH_CHARS}}})(?: (?P<project>\S+))? -->\s*\Z"
)
_KEY = regex(rf"<!--\s*hearth:p ([0-9A-Za-z_-]{{1,64}}):([0-9a-f]{{{HASH_CHARS}}})\b")
_SOURCE = regex(r" \((?P<day>\d{4}-\d\d-\d\d, )?\[source\]\([^()\s]*?(?:#L(?P<line>\d+))?\)(?P<short>, shortened)?\)\Z")
_BRIEF = 8
"""Characters of a docid that name one of a million documents."""
_COMMENT = regex(r"<!--.*?-->")
_LIST = regex(r"\A(?:[-*+]|\d+[.)])\s+")
_TEMPLATE = "\n\n".join(
    (
        "# Memory",
        "<!-- Yours: write down what every session should know. -->",
        *(f"## {heading}" for heading in HEADINGS),
        "## Used again and again",
        "<!-- Between the two markers Hearth keeps it. A line that you edit or move there is yours. -->",
    )
)
_SIDES = ("<<<<<<<", "=======", ">>>>>>>")
"""What begins the lines around the two sides of a conflict that git left."""


class BrokenPage(ValueError):
    """The markers are not one pair, or git left a conflict; the message says how, for people."""


@dataclass(frozen=True, slots=True)
class PageItem:
    """A line with a marker of ours; ``row`` counts from 0. ``ours`` where it stands in the block as we wrote it."""

    row: int
    key: Key
    text: str
    ours: bool
    project: str = ""

    @property
    def statement(self) -> str:
        """Without date and source."""
        return _SOURCE.sub("", self.text)

    @property
    def brief(self) -> str:
        """With the beginning of the docid and the line in the place of the link, as ``get`` takes them."""

        def refer(found: re.Match[str]) -> str:
            line = f":{found['line']}" if found["line"] else ""
            return f" ({found['day'] or ''}#{self.key[0][:_BRIEF]}{line}{found['short'] or ''})"

        return _SOURCE.sub(refer, self.text)


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """``start`` and ``end`` are the rows of the markers, ``None`` where there is no block yet; ``machine`` wrote it.
    Rows keep the carriage return that they end in, ``return_`` is that of new ones."""

    rows: tuple[str, ...]
    return_: str
    start: int | None
    end: int | None
    machine: str | None
    items: tuple[PageItem, ...]
    marked: frozenset[Key]

    @property
    def ours(self) -> list[PageItem]:
        return [item for item in self.items if item.ours]

    @property
    def outside(self) -> list[str]:
        """What people wrote before and behind the block, without comments and empty rows."""
        block = range(0) if self.start is None or self.end is None else range(self.start, self.end + 1)
        plain = (_COMMENT.sub("", row) for number, row in enumerate(self.rows) if number not in block)
        return [row for row in plain if row.strip()]

    @property
    def statements(self) -> list[str]:
        """All that the page says, by whoever."""
        return _statements(self.rows)


def read(text: str) -> MemoryPage:
    """Raises ``BrokenPage`` where the markers are not one pair, each on a line of its own, or git left a conflict."""
    rows = tuple(text.split("\n"))
    _refuse_conflict(rows)
    marks = [number for number, row in enumerate(rows) if _MARK.search(row)]
    start, end, machine = _block(rows, marks)
    items = []
    for number, row in enumerate(rows):
        if (found := _ITEM.match(row)) is not None:
            inside = start is not None and end is not None and start < number < end
            ours = inside and _hash_line(found["text"]) == found["seen"]
            items.append(PageItem(number, (found["doc"], found["hash"]), found["text"], ours, found["project"] or ""))
    marked = frozenset((found[1], found[2]) for row in rows for found in _KEY.finditer(row))
    return MemoryPage(rows, "\r" if "\r\n" in text else "", start, end, machine, tuple(items), marked)


def read_statements(text: str) -> list[str]:
    """All that a page says, without markers, dates and sources."""
    return _statements(text.split("\n"))


def blank_items(text: str) -> str:
    """The same characters with spaces in the place of what is ours: items, markers, and headings above items alone."""
    try:
        page = read(text)
    except BrokenPage:
        return _COMMENT.sub(_blank, text)
    ours = {item.row for item in page.ours}
    rows = [" " * len(row) if number in ours else _COMMENT.sub(_blank, row) for number, row in enumerate(page.rows)]
    if page.start is not None and page.end is not None:
        names = {f"### {heading}" for heading in HEADINGS}
        filled = False
        for number in range(page.end - 1, page.start, -1):
            if rows[number].strip() in names and not filled:
                rows[number] = " " * len(rows[number])
            filled = not rows[number].startswith("#") and (filled or bool(rows[number].strip()))
    return "\n".join(rows)


def drop_sources(text: str, docids: Collection[str]) -> str:
    """The text without our lines whose statements are from one of the documents. Raises as ``read``."""
    page = read(text)
    return edit(page, page.machine or "", (), {item.key for item in page.ours if item.key[0] in docids})


def edit(page: MemoryPage, machine: str, put: Sequence[DreamFragment], out: Iterable[Key]) -> str:
    """The text with fragments put in and lines of ours taken out by ``machine``; without either, as it is."""
    gone = set(out)
    dropped = {item.row for item in page.ours if item.key in gone}
    if not put and not dropped:
        return "\n".join(page.rows)
    rows = list(page.rows)
    start, end = page.start, page.end
    if start is None or end is None:
        while rows and not rows[-1].strip():
            rows.pop()
        rows = rows if any(rows) else _TEMPLATE.split("\n")
        start, end = len(rows) + 1, len(rows) + 2
        rows += [page.return_, f"<!-- hearth:dream machine={machine} -->{page.return_}", _END + page.return_, ""]
    elif page.machine != machine:
        rows[start] = f"<!-- hearth:dream machine={machine} -->{page.return_}"
    inner = [row for number, row in enumerate(rows[start + 1 : end], start + 1) if number not in dropped]
    for heading, lines in _by_heading(put).items():
        inner = _insert(inner, f"### {heading}", [one + page.return_ for one in lines], page.return_)
    if dropped:
        inner = _drop_empty_headings(inner)
    return "\n".join([*rows[: start + 1], *inner, *rows[end:]])


def too_much(lines: Mapping[Key, str], strength: Mapping[Key, float], room: int, count: Counter) -> set[Key]:
    """The weakest of the lines, without which the others fit into ``room`` (tokens)."""
    used = sum(map(count, lines.values()))
    out: set[Key] = set()
    for key in sorted(lines, key=lambda one: (strength.get(one, 0.0), one)):
        if used <= room:
            break
        used -= count(lines[key])
        out.add(key)
    return out


def line(fragment: DreamFragment) -> str:
    """The line of a fragment: its text and our marker."""
    text = item_text(fragment)
    project = f" {quote_project(fragment.project)}" if fragment.project else ""
    return f"- {text} <!-- hearth:p {fragment.key[0]}:{fragment.key[1]} {_hash_line(text)}{project} -->"


def item_text(fragment: DreamFragment) -> str:
    """What its line says to a reader: the statement, since when, where that stands, whether a model shortened it."""
    text = " ".join((fragment.short or fragment.quote).replace("<!--", "").replace("-->", "").split())
    source = (
        f"[source]({quote(fragment.place, safe='/._-:')}#L{fragment.line}){', shortened' if fragment.short else ''}"
    )
    return f"{text} ({fragment.written}, {source})" if fragment.written else f"{text} ({source})"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def quote_project(project: str | None) -> str:
    """As it stands in the marker of an item."""
    return quote(project or "", safe="/._-:")


def _statements(rows: Iterable[str]) -> list[str]:
    plain = (_LIST.sub("", _COMMENT.sub("", row).strip()) for row in rows)
    return [statement for row in plain if (statement := _SOURCE.sub("", row).strip())]


def _block(rows: Sequence[str], marks: Sequence[int]) -> tuple[int | None, int | None, str | None]:
    if not marks:
        return None, None, None
    if len(marks) != 2:
        lines = ", ".join(str(number + 1) for number in marks[:5])
        raise BrokenPage(f"{len(marks)} block markers instead of two, on lines {lines}")
    start, end = marks
    opening = _START_ROW.match(rows[start])
    if opening is None or rows[end].strip() != _END:
        raise BrokenPage(f"the markers on lines {start + 1} and {end + 1} are not the start and end of a block")
    return start, end, opening[1]


def _refuse_conflict(rows: Sequence[str]) -> None:
    """A line that is written below one side would be lost with it."""
    found: list[int] = []
    for number, row in enumerate(rows, 1):
        side = _SIDES[len(found)]
        if row.split(" ", 1)[0].rstrip() == side:
            found.append(number)
        if len(found) == len(_SIDES):
            raise BrokenPage(f"markers of a git conflict on lines {', '.join(map(str, found))}")


def _by_heading(put: Sequence[DreamFragment]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    for fragment in put:
        found[_HEADING_OF.get(fragment.content_type, "Facts")].append(line(fragment))
    return {heading: lines for heading, lines in found.items() if lines}


def _insert(rows: list[str], heading: str, lines: list[str], return_: str) -> list[str]:
    """Below the last line of the section with that heading, made at the end where there is none."""
    at = next((number for number, row in enumerate(rows) if row.strip() == heading), None)
    if at is None:
        gap = [return_] if rows and rows[-1].strip() else []
        return [*rows, *gap, heading + return_, *lines]
    end = at + 1
    while end < len(rows) and not rows[end].startswith("#"):
        end += 1
    while end > at + 1 and not rows[end - 1].strip():
        end -= 1
    return [*rows[:end], *lines, *rows[end:]]


def _drop_empty_headings(rows: list[str]) -> list[str]:
    """Headings of ours under which nothing is left go, with the empty lines below them."""
    found: list[str] = []
    names = {f"### {heading}" for heading in HEADINGS}
    position = 0
    while position < len(rows):
        end = position + 1
        while end < len(rows) and not rows[end].strip():
            end += 1
        if rows[position].strip() in names and (end == len(rows) or rows[end].startswith("#")):
            while end == len(rows) and found and not found[-1].strip():
                found.pop()  # the empty line that we put before it
            position = end
            continue
        found.append(rows[position])
        position += 1
    return found


def _hash_line(text: str) -> str:
    """Of every character: the smallest edit makes a line somebody else's."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARS]
