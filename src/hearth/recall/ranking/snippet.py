"""Snippets: the lines of a fragment that answer the question best, at their exact numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, repeat
from typing import NamedTuple

from hearth.core.lazy import dataclass, regex
from hearth.recall.ranking.packing import is_head, is_heading, is_metadata
from hearth.text.lines import END, estimate_tokens
from hearth.text.terms import terms

Nearness = Callable[[Sequence[str]], Sequence[float]]

# A word with the space after it; a script without spaces comes in short runs.
_CHUNK = regex(r"\S{1,40}\s*|\s+")
# What the first, second and third mention of a word count; more say nothing new.
_MENTIONS = (1.0, 0.05, 0.05)


def best_window(
    text: str, weights: Mapping[str, float], language: str, tokens: int, near: Nearness | None = None
) -> str:
    """The text itself where it is short enough, else the part of about ``tokens`` that holds most of ``weights``
    (index term -> worth), its words in the middle. Where it holds none of them, the part nearest in meaning by
    ``near``; without that the beginning."""
    cost = estimate_tokens(text)
    if cost <= tokens:
        return text
    room = max(1, len(text) * tokens // cost)
    chunks = _CHUNK.findall(text)
    found = _most(chunks, weights, language, room)
    if found is not None:
        return "".join(chunks[found[0] : found[1]]).strip()
    parts = _parts(chunks, room)
    if near is None or len(parts) < 2:
        return parts[0].strip()
    values = near(parts)
    return parts[max(range(len(parts)), key=lambda i: (values[i], -i))].strip()


def _most(chunks: Sequence[str], weights: Mapping[str, float], language: str, room: int) -> tuple[int, int] | None:
    """First and end chunk of the best window of at most ``room`` characters: among equally good neighbours the one in
    the middle. ``None`` where no chunk holds a weighted term."""
    terms_by_chunk = [[term for term in terms(chunk, language) if term in weights] for chunk in chunks]
    counts: dict[str, int] = {}
    ranges: list[tuple[float, int, int]] = []
    start = size = 0
    worth = 0.0
    for end, chunk in enumerate(chunks):
        size += len(chunk)
        for term in terms_by_chunk[end]:
            counts[term] = counts.get(term, 0) + 1
            worth += weights[term] * _mention(counts[term])
        while size > room and start < end:
            for term in terms_by_chunk[start]:
                worth -= weights[term] * _mention(counts[term])
                counts[term] -= 1
            size -= len(chunks[start])
            start += 1
        ranges.append((round(worth, 9), start, end + 1))
    best = max(ranges)[0]
    if best <= 0:
        return None
    first = next(i for i, found in enumerate(ranges) if found[0] == best)
    last = next((i for i in range(first, len(ranges)) if ranges[i][0] != best), len(ranges)) - 1
    return ranges[(first + last) // 2][1:]


def _mention(number: int) -> float:
    return _MENTIONS[number - 1] if number <= len(_MENTIONS) else 0.0


def _parts(chunks: Sequence[str], room: int) -> list[str]:
    """The text in parts of at most ``room`` characters."""
    parts = [""]
    for chunk in chunks:
        if parts[-1].strip() and len(parts[-1]) + len(chunk) > room:
            parts.append("")
        parts[-1] += chunk
    return parts


_MAX_LINES = 4
_MAX_CHARS = 320
# What says nothing at the edge of a snippet: blank lines, and the rules around a frontmatter or between sections.
_EMPTY = regex(r"\s*(?:-{3,})?\s*")
# The row below a table's header.
_RULE = regex(r"\s*(?=.*\|)\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_MAX_HEADER = 160


@dataclass(frozen=True, slots=True)
class Snippet:
    """``text`` is cut from lines ``start`` to ``end`` (1-based, inclusive) of the document, whose ``lead`` is the line
    that says most, with its number: from its best sentence on, without headings and what else says little alone."""

    text: str
    start: int
    end: int
    lead: tuple[int, str]


def snippet(text: str, first_line: int, weights: Mapping[str, float], language: str, header: str = "") -> Snippet:
    """``weights`` maps index terms to their worth. The best run of up to four lines; a long line is cut around its
    best words, with an ellipsis where something was left out. A heading never stands alone or at the end, nor do lines
    such as ``Date:``: what they promise comes with them, or they stay out. Rows of a table stand below its header,
    which is ``header`` where the text begins inside the table."""
    lines = text.split("\n")
    asked = frozenset(weights)
    found = [asked.intersection(terms(line, language)) for line in lines]
    worth = [_worth(weights, words) for words in found]
    weighed = _Weighed(lines, worth, weights, language)
    best = _choose_best(lines, found, weights)
    header, beside = _choose_header(lines, best, header)
    start, end = _best_run(lines, worth, best, _MAX_CHARS - len(header))
    if beside is not None and start <= beside + 2:
        start = min(start, beside)
    elif header:
        return _cite(weighed, (best, end), first_line, header)
    while start < best and (_EMPTY.fullmatch(lines[start]) or (is_metadata(lines[start]) and not worth[start])):
        start += 1
    while start < end and _EMPTY.fullmatch(lines[start]):
        start += 1
    while end > start and _EMPTY.fullmatch(lines[end]):
        end -= 1
    start, end, follows = _drop_dangling(lines, worth, start, end)
    if follows is None:
        return _cite(weighed, (start, end), first_line)
    above = _join(lines[start:follows])
    last = _follow(lines, follows, _MAX_CHARS - len(above))
    below = _cite(weighed, (follows, last), first_line, above)
    at, lead = _find_lead(weighed, slice(start, last + 1))
    return replace(below, start=first_line + start, lead=(first_line + start + at, lead))


class _Weighed(NamedTuple):
    """Lines with the worth of each, by ``weights`` of index terms in a language."""

    lines: list[str]
    worth: list[float]
    weights: Mapping[str, float]
    language: str


def _cite(text: _Weighed, run: tuple[int, int], first_line: int, above: str = "") -> Snippet:
    """Cites a run of lines. If it is longer than the room left beside the text ``above``, only the part with the best
    words is cited."""
    start, end = run
    lines, _, weights, language = text
    whole = _join(lines[start : end + 1]).rstrip()
    room = max(_MAX_CHARS // 2, _MAX_CHARS - len(above))
    begin, stop = (0, len(whole)) if len(whole) <= room else _around(whole, weights, language, room)
    part = whole[begin:stop].strip()
    shown = ("…" if begin else "") + part + ("…" if stop < len(whole) else "")
    skipped = whole.count("\n", 0, whole.index(part, begin))
    first = first_line + start + skipped
    last = first + part.count("\n")
    rows = slice(start + skipped, start + skipped + part.count("\n") + 1)
    at, lead = _find_lead(text, rows)
    return Snippet(f"{above}\n{shown}" if above else shown, first, last, (first + at, lead))


def _find_lead(text: _Weighed, shown: slice) -> tuple[int, str]:
    """The shown line that says most, from its best sentence on, followed by the lines after it."""
    lines, worth, weights, language = text.lines[shown], text.worth[shown], text.weights, text.language
    telling = [at for at in range(len(lines)) if _tells(lines, at, worth[at])] or [0]
    best = max(telling, key=lambda at: (worth[at], -at))
    sentences = END.split(lines[best].strip())
    if len(sentences) > 1:
        asked = frozenset(weights)
        values = [_worth(weights, asked.intersection(terms(sentence, language))) for sentence in sentences]
        sentences = sentences[values.index(max(values)) :]
    return best, " ".join((*sentences, *(lines[at].strip() for at in telling if at > best)))[:_MAX_CHARS]


def _tells(lines: Sequence[str], at: int, worth: float) -> bool:
    line = lines[at]
    is_header = at + 1 < len(lines) and "|" in line and _RULE.fullmatch(lines[at + 1])
    says_little = is_heading(line) or (is_metadata(line) and not worth)
    return not (says_little or is_header or _EMPTY.fullmatch(line) or _RULE.fullmatch(line))


def _choose_best(lines: list[str], found: Sequence[Set[str]], weights: Mapping[str, float]) -> int:
    """The line that says most: what the heading and the head of the table above it say counts for one that says
    anything itself, so that its row is the answer and not the title ``Prices``."""
    heading: Set[str] = frozenset()
    header: Set[str] = frozenset()
    best, most = 0, -1.0
    for at, line in enumerate(lines):
        own = found[at]
        if is_heading(line):
            heading, header = own, frozenset()
        elif "|" not in line:
            header = frozenset()
        elif at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]):
            header = own
        value = _worth(weights, own | heading | header if own and not is_head(line) else own)
        if value > most:
            best, most = at, value
    return best


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
    """A run that does not end with a head, and the line below one at which it goes on. Such a head stays out, unless it
    matches best, when all before it goes, or only one short line stands before it; and where the text ends with what
    tells when or by whom it was written."""
    last = end
    while last > start and (_EMPTY.fullmatch(lines[last]) or is_head(lines[last])):
        last -= 1
    if not is_head(lines[end]):
        return start, end, None
    after = range(end + 1, len(lines))
    follows = next((at for at in after if not (_EMPTY.fullmatch(lines[at]) or is_head(lines[at]))), None)
    if is_head(lines[last]) or (follows is None and is_metadata(lines[end])):
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
        if size > room or is_heading(lines[at]):
            break
        last = last if _EMPTY.fullmatch(lines[at]) or is_head(lines[at]) else at
    return last


def _worth(weights: Mapping[str, float], words: Set[str]) -> float:
    # Exact, so that lines with the same words are worth the same in whatever order the set gives them.
    return math.fsum(map(weights.__getitem__, words))


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


def _around(text: str, weights: Mapping[str, float], language: str, room: int) -> tuple[int, int]:
    """Where the first of the runs of words that hold the most begins and ends."""
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
    return begin, min(begin + room, len(text))
