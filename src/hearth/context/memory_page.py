"""The page MEMORY.md in a briefing."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from hearth.core import subjects
from hearth.core.document import is_foreign
from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit
from hearth.pages.dream import memory_md
from hearth.pages.dream.fragments import Key
from hearth.pages.dream.memory_md import OWN_TOKENS, BrokenPage, MemoryPage
from hearth.ports import DocumentReader, StateReader
from hearth.text.lines import estimate_tokens, split_sentences

TOKENS = 600
HEAD_TOKENS = 40
"""Of these are kept for the line that says where an entry is from, and the one that counts the rest."""
_HEADING = regex(r"#{1,6}\s")
_MARKER = regex(r"<!--.*?-->")
_LIST = regex(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


@dataclass(frozen=True, slots=True)
class PageReading:
    """``own`` is what the person wrote of it, ``promoted`` what uses made of it; empty texts where there is nothing."""

    own: str
    promoted: str


def read(
    hit: Hit,
    scores: Mapping[Key, float],
    project: str | None,
    *,
    all_projects: bool = False,
    foreign: Container[str] = frozenset(),
) -> PageReading:
    """Of a page as one fragment. Items of other projects stay out, and those out of ``foreign`` documents; of the
    others the best come first."""
    try:
        known = memory_md.read(hit.text)
    except BrokenPage:
        known = MemoryPage(tuple(hit.text.split("\n")), "", None, None, None, (), frozenset())
    own = _own(known)
    name = memory_md.quote_project(project)
    eligible = [one for one in known.ours if (all_projects or one.project in ("", name)) and one.key[0] not in foreign]
    eligible.sort(key=lambda one: -scores.get(one.key, 0.0))
    room = TOKENS - estimate_tokens(own)
    return PageReading(own, _fitting([("", f"- {one.brief}") for one in eligible], room))


def find_foreign(reader: DocumentReader, hit: Hit) -> frozenset[str]:
    """The documents out of which something was promoted that are not the person's any more."""
    try:
        docids = {item.key[0] for item in memory_md.read(hit.text).ours}
    except BrokenPage:
        return frozenset()
    known = ((docid, reader.document(docid)) for docid in docids)
    return frozenset(docid for docid, one in known if one is not None and is_foreign(one.document.trust))


def scores(reader: StateReader, agent: str) -> dict[Key, float]:
    """How items stood when the page of an agent, or of everyone without a name, was written last."""
    known = reader.registers(subjects.name_dreaming(agent), subjects.STANDING).get(subjects.STANDING)
    rows = known if isinstance(known, list) else []
    return {(row[0], row[1]): row[2] for row in rows}


def _own(known: MemoryPage) -> str:
    ours = {item.row for item in known.ours}
    rows = [_MARKER.sub("", row).rstrip() for number, row in enumerate(known.rows) if number not in ours]
    return _fitting(list(_entries(rows)), OWN_TOKENS)


def _entries(rows: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each with the heading above it: a bullet with what is indented below it, or a paragraph."""
    heading, entry = "", list[str]()
    for row in [*rows, ""]:
        starts = not row.strip() or _HEADING.match(row) or (_LIST.match(row) and not row.startswith((" ", "\t")))
        if entry and starts:
            yield heading, "\n".join(entry)
            entry = []
        if _HEADING.match(row):
            heading = row.strip()
        elif row.strip():
            entry.append(row)


def _fitting(entries: Sequence[tuple[str, str]], room: int) -> str:
    """Those that fit one after the other, under their headings; the number of the others. What alone would be too long
    is there with its first sentences."""
    lines: list[str] = []
    under, left = "", 0
    for heading, text in entries:
        above = [heading] if heading and heading != under else []
        free = room - HEAD_TOKENS - estimate_tokens("\n".join([*lines, *above]))
        fitting = text if estimate_tokens(text) <= free else _beginning(text, free) if _is_long(text, room) else ""
        if not fitting:
            left += 1
            continue
        lines += [*above, fitting]
        under = heading
    if left:
        lines.append(f"({left} more on the page)")
    return "\n".join(lines) if len(lines) > bool(left) else ""


def _is_long(text: str, room: int) -> bool:
    return estimate_tokens(text) > room - HEAD_TOKENS


def _beginning(text: str, room: int) -> str:
    """Its first sentences within ``room`` tokens."""
    kept = ""
    for sentence in split_sentences(text):
        longer = f"{kept} {sentence}".strip()
        if estimate_tokens(longer) >= room:
            break
        kept = longer
    return f"{kept} …" if kept else ""
