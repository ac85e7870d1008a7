"""Paragraphs of a text, each on one line: what a sentence is looked for in."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.lazy import regex

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
