"""Snippets: the lines of a fragment that answer the question best, at their exact numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate, repeat

from hearth.lazy import dataclass, regex
from hearth.text.terms import terms

_MAX_LINES = 4
_MAX_CHARS = 320
# What says nothing at the edge of a snippet: blank lines, and the rules around a frontmatter or between sections.
_EMPTY = regex(r"\s*(?:-{3,})?\s*")
_HEADING = regex(r" {0,3}#{1,6}(?:\s|$)")
# The row below a table's header.
_RULE = regex(r"\s*(?=.*\|)\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_MAX_HEADER = 160


@dataclass(frozen=True, slots=True)
class Snippet:
    """``text`` is cut from lines ``start`` to ``end`` (1-based, inclusive) of the document."""

    text: str
    start: int
    end: int


def snippet(text: str, first_line: int, weights: Mapping[str, float], language: str, header: str = "") -> Snippet:
    """``weights`` maps index terms to their worth. The best run of up to four lines; a long line is cut around its
    best words, with an ellipsis where something was left out. A heading never stands alone or at the end: what it
    promises comes with it, or it stays out. Rows of a table stand below its header, which is ``header`` where the
    text begins inside the table."""
    lines = text.split("\n")
    worth = [_worth(line, weights, language) for line in lines]
    best = max(range(len(lines)), key=lambda at: (worth[at], -at))
    header, beside = _choose_header(lines, best, header)
    start, end = _best_run(lines, worth, best, _MAX_CHARS - len(header))
    if beside is not None and start <= beside + 2:
        start = min(start, beside)
    elif header:
        rows = _cut(_join(lines[best : end + 1]), weights, language, header)
        return Snippet(f"{header}\n{rows}", first_line + best, first_line + end)
    while start < end and _EMPTY.fullmatch(lines[start]):
        start += 1
    while end > start and _EMPTY.fullmatch(lines[end]):
        end -= 1
    start, end, follows = _drop_dangling(lines, worth, start, end)
    if follows is not None:
        above = _join(lines[start:follows])
        last = _follow(lines, follows, _MAX_CHARS - len(above))
        below = _cut(_join(lines[follows : last + 1]), weights, language, above)
        return Snippet(f"{above}\n{below}", first_line + start, first_line + last)
    return Snippet(_cut(_join(lines[start : end + 1]), weights, language), first_line + start, first_line + end)


def _choose_header(lines: list[str], row: int, before: str) -> tuple[str, int | None]:
    """What to show above a row, nothing above a line of text; and where that stands, unless it is too broad to be shown
    as it is, or stood ``before`` these lines."""
    at = _find_header(lines, row)
    header = lines[at].strip() if at is not None else before if is_row(lines[row]) else ""
    if len(header) > _MAX_HEADER:
        return header[: _MAX_HEADER - 1].rstrip() + "…", None
    return header, at


def is_row(line: str) -> bool:
    """Whether it may be a row of a table."""
    return line.lstrip().startswith("|") or line.count("|") > 1


def find_header(lines: list[str]) -> str | None:
    """The header of the table in which the lines end; ``None`` where they end in none."""
    at = _find_header(lines, len(lines) - 1)
    return None if at is None else lines[at].strip()


def _find_header(lines: list[str], row: int) -> int | None:
    """Where the header of the table stands to which a row belongs; ``None`` where it is no row, or the header."""
    for at in range(row, 0, -1):
        if "|" not in lines[at]:
            return None
        if _RULE.fullmatch(lines[at]):
            return at - 1 if "|" in lines[at - 1] else None
    return None


def _join(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines)


def _drop_dangling(lines: list[str], worth: list[float], start: int, end: int) -> tuple[int, int, int | None]:
    """A run that does not end with a heading, and the line below one at which it goes on. Such a heading stays out,
    unless it matches best, when all before it goes, or only one short line stands before it."""
    last = end
    while last > start and (not lines[last].strip() or _HEADING.match(lines[last])):
        last -= 1
    if not _HEADING.match(lines[end]):
        return start, end, None
    follows = next(
        (at for at in range(end + 1, len(lines)) if lines[at].strip() and not _HEADING.match(lines[at])), None
    )
    if _HEADING.match(lines[last]):
        return start, end, follows
    if max(worth[last + 1 : end + 1]) > max(worth[start : last + 1]):
        return next(at for at in range(last + 1, end + 1) if lines[at].strip()), end, follows
    if follows is None or start < last or 2 * len(lines[start]) > _MAX_CHARS:
        return start, last, None
    return start, end, follows


def _follow(lines: list[str], first: int, room: int) -> int:
    """The last of the lines below a heading that fit beside it, the first in any case."""
    last, size = first, len(lines[first])
    for at in range(first + 1, min(first + _MAX_LINES - 1, len(lines))):
        size += len(lines[at]) + 1
        if size > room or _HEADING.match(lines[at]):
            break
        last = at if lines[at].strip() else last
    return last


def _cut(text: str, weights: Mapping[str, float], language: str, above: str = "") -> str:
    """The text, or its part with the best words where it is longer than there is room beside what stands ``above``."""
    text = text.rstrip()
    room = max(_MAX_CHARS // 2, _MAX_CHARS - len(above))
    return text if len(text) <= room else _around(text, weights, language, room)


def _worth(line: str, weights: Mapping[str, float], language: str) -> float:
    # Exact, so that lines with the same words are worth the same in whatever order the set gives them.
    return math.fsum(map(weights.__getitem__, weights.keys() & set(terms(line, language))))


def _best_run(lines: list[str], worth: list[float], best: int, room: int) -> tuple[int, int]:
    start = end = best
    size = len(lines[best])
    while end - start + 1 < _MAX_LINES:
        above = worth[start - 1] + 0.01 if start > 0 else -1.0
        below = worth[end + 1] + 0.02 if end + 1 < len(lines) else -1.0
        if max(above, below) < 0:
            break
        at = start - 1 if above > below else end + 1
        size += len(lines[at]) + 1
        if size > room:
            break
        start, end = min(start, at), max(end, at)
    return start, end


@lru_cache(maxsize=1 << 15)
def _terms(word: str, language: str) -> tuple[str, ...]:
    return tuple(terms(word, language))


def _around(text: str, weights: Mapping[str, float], language: str, room: int) -> str:
    """The first of the runs of words that hold the most, with an ellipsis where something was left out."""
    words, asked = text.split(" "), weights.keys()
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    named = enumerate(map(_terms, words, repeat(language)))
    worth = {at: sum(weights.get(term, 0.0) for term in found) for at, found in named if not asked.isdisjoint(found)}
    best_at, best_worth = 0, 0.0
    for end in worth:
        start = min(end, bisect_left(starts, starts[end + 1] - room))
        total = math.fsum(value for at, value in worth.items() if start <= at <= end)
        if total > best_worth:
            best_at, best_worth = start, total
    begin = starts[best_at]
    after = "…" if begin + room < len(text) else ""
    return ("…" if best_at else "") + text[begin : begin + room].strip() + after
