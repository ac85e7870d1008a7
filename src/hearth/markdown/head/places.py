"""On which lines the values of a frontmatter's fields stand, as ``frontmatter`` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hearth.lazy import regex
from hearth.markdown.head import frontmatter

_ITEM = regex(r"\s*-(?:\s|$)")
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
    fields = frontmatter.split(text).fields
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
    items = [at for at in range(start + 1, end) if _ITEM.match(rows[at])]
    if len(items) == len(values):
        yield from items
        return
    block = dict(enumerate([rows[start].partition(":")[2], *rows[start + 1 : end]] if rows else [], start))
    at = start
    for value in values:
        at = next((line for line in range(at, end) if value in block[line]), at)
        yield at
