"""Windows over a text: the segments of its blocks, joined to the size of a fragment."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.markdown.blocks import Lines, MarkdownBlock
from hearth.text import lines

# Strengths of the cut before a segment; only their order and rough distance matter.
AT_HEADING, AT_BLOCK, AT_ITEM, AT_SENTENCE, AT_WORD = 6.0, 4.0, 3.0, 2.0, 0.0

Measure = Callable[[str], float]

# A space after the end of a sentence, or right behind a full-width full stop.
_SPACE = regex(r"\s+")
_LINE = regex(r"\n")
_BLANK_LINE = regex(r"\n[ \t\r]*\n")
_WORD_REACH = 80


class Segment(NamedTuple):
    """Characters ``start`` to ``end``; ``weight`` in words; ``level`` > 0 for a heading; ``path`` of headings."""

    start: int
    end: int
    weight: float
    kind: str
    path: tuple[str, ...]
    cut: float = AT_BLOCK
    level: int = 0


def outline(
    lines: Lines, blocks: Iterable[MarkdownBlock], measure: Measure, floor: Callable[[MarkdownBlock], int]
) -> list[Segment]:
    """One segment for each block, with its path of headings. ``floor`` gives the least level a heading counts as."""
    text, starts = lines.text, lines.starts
    segments: list[Segment] = []
    path: tuple[str, ...] = ()
    levels: list[int] = []
    before = ""
    for block in blocks:
        start, end = starts[block.first], starts[block.end]
        cut, level = AT_BLOCK, 0
        if block.level:
            cut, level = AT_HEADING, max(block.level, floor(block))
            while levels and levels[-1] >= level:
                levels.pop()
            path = (*path[: len(levels)], block.title)
            levels.append(level)
        elif block.kind == before == "list":
            cut = AT_ITEM
        segments.append(Segment(start, end, measure(text[start:end]), block.kind, path, cut, level))
        before = block.kind
    return segments


def refine(text: str, segments: Sequence[Segment], words: float, measure: Measure) -> list[Segment]:
    """Cuts segments finer, for windows of ``words``; a heading becomes one segment with what follows it.

    Code and tables stay whole up to twice the window, everything else up to a quarter of it.
    """
    atoms: list[Segment] = []
    lead: Segment | None = None
    for segment in segments:
        if segment.level and segment.weight + (lead.weight if lead else 0) <= words / 2:
            lead = segment if lead is None else lead._replace(end=segment.end, weight=lead.weight + segment.weight)
            continue
        whole = 2 * words if segment.kind in ("code", "table") else words / 4
        parts = [segment] if segment.weight <= whole else _divide(text, segment, words, measure)
        if lead is not None:
            head = parts[0]
            parts[0] = head._replace(start=lead.start, weight=lead.weight + head.weight, cut=lead.cut)
            lead = None
        atoms += parts
    if lead is not None:
        atoms.append(lead)
    return atoms


def _divide(text: str, segment: Segment, words: float, measure: Measure) -> list[Segment]:
    if segment.kind in ("text", "heading", "blank"):
        cuts = [(match.end(), AT_SENTENCE) for match in lines.END.finditer(text, segment.start, segment.end)]
    else:
        blank = {match.end() for match in _BLANK_LINE.finditer(text, segment.start, segment.end)}
        ends = (match.end() for match in _LINE.finditer(text, segment.start, segment.end))
        cuts = [(end, AT_ITEM if end in blank else AT_SENTENCE) for end in ends]
    parts: list[Segment] = []
    start, cut = segment.start, segment.cut
    for end, following in [*cuts, (segment.end, AT_BLOCK)]:
        if end <= start:
            continue
        part = segment._replace(start=start, end=end, weight=measure(text[start:end]), cut=cut)
        if part.weight <= words / 2:
            parts.append(part)
        elif segment.kind == "text" or not lines.END.search(text, start, end):
            parts += _chop(text, part, words, measure)
        else:
            parts += _divide(text, part._replace(kind="text"), words, measure)
        start, cut = end, following
    return [part._replace(kind=segment.kind) for part in parts]


def _chop(text: str, segment: Segment, words: float, measure: Measure) -> list[Segment]:
    """Parts of about a quarter window, cut between words, or between characters where no space is near."""
    share = max(2, math.ceil(segment.weight / max(words / 4, 1)))
    step = max(1, (segment.end - segment.start) // share)
    parts: list[Segment] = []
    start, cut = segment.start, segment.cut
    while start < segment.end:
        end = _word_end(text, start + step, segment.end)
        part = segment._replace(start=start, end=end, weight=measure(text[start:end]), cut=cut)
        # Mixed scripts weigh differently by character; each round at least halves what is still too long.
        if part.weight > words / 2 and end - start > max(2 * words, 1) and end - start < segment.end - segment.start:
            parts += _chop(text, part, words, measure)
        else:
            parts.append(part)
        start, cut = end, AT_WORD
    return parts


def _word_end(text: str, at: int, limit: int) -> int:
    if at >= limit:
        return limit
    space = _SPACE.search(text, at - 1, min(at + _WORD_REACH, limit))
    if space:
        return space.end()
    reach = min(at + _WORD_REACH, limit)
    while at < reach and (
        unicodedata.combining(text[at]) or text[at] in "\u200d\ufe0e\ufe0f" or text[at - 1] == "\u200d"
    ):
        at += 1
    return at


# A section this much over the window stays whole: cutting it would make two halves that overlap for the most part.
SLACK = 1.2
# Sections under this share of a window are joined to what follows even where that makes it longer.
TINY = 0.25
# Two parts of at least this share stay apart at a heading of level 1 or 2.
APART = 0.4
# A cut may lie this far from the wished size, as a share of it; the penalty weighs distance against strength of cut.
_EARLIEST, _LATEST, _PENALTY = 0.6, 1.15, 5.0
_KINDS = ("code", "table", "list")


class TextWindow(NamedTuple):
    """Characters ``start`` to ``end`` and what they are; ``path`` is shared by all headings inside."""

    start: int
    end: int
    kind: str
    path: tuple[str, ...]
    context: str = ""


class WindowSize(NamedTuple):
    """Wished words for a window and for its overlap with the one before."""

    words: float
    overlap: float

    def doubled(self) -> WindowSize:
        return WindowSize(self.words * 2, self.overlap * 2)


def window(segments: Sequence[Segment], kind: str | None = None, context: str = "") -> TextWindow:
    """One window over consecutive segments; its kind is what most of its words are, unless given."""
    return TextWindow(segments[0].start, segments[-1].end, kind or _dominant(segments), _common(segments), context)


def windows(text: str, segments: Sequence[Segment], size: WindowSize, measure: Measure) -> Iterator[list[Segment]]:
    """The segments of each window, in order; neighbours cut from one long section share segments."""
    for group in _groups(segments, size.words):
        if sum(segment.weight for segment in group) <= size.words * SLACK:
            yield group
            continue
        atoms = refine(text, group, size.words, measure)
        for first, end in _pack(atoms, size):
            yield atoms[first:end]


def _groups(segments: Sequence[Segment], words: float) -> Iterator[list[Segment]]:
    """Sections, small neighbours merged."""
    group: list[Segment] = []
    weight = 0.0
    for section in _sections(segments, words):
        own = sum(segment.weight for segment in section)
        if group and not _joins(weight, own, group[0], section[0], words):
            yield group
            group, weight = [], 0.0
        group.extend(section)
        weight += own
    if group:
        yield group


def _joins(weight: float, own: float, first: Segment, following: Segment, words: float) -> bool:
    if weight + own <= words * (SLACK if min(weight, own) < TINY * words else 1):
        return not (0 < following.level <= 2 and min(weight, own) >= APART * words)
    child = following.path[: len(first.path)] == first.path and len(following.path) > len(first.path)
    return weight < TINY * words and (child or not first.level)


def _sections(segments: Sequence[Segment], words: float) -> Iterator[list[Segment]]:
    """Headings with what stands below them; one without a body goes with the next, unless they fill a window."""
    section: list[Segment] = []
    bare, weight = True, 0.0
    for segment in segments:
        if segment.level and section and (not bare or weight > words):
            yield section
            section, bare, weight = [], True, 0.0
        section.append(segment)
        weight += segment.weight
        bare = bare and segment.level > 0
    if section:
        yield section


def _pack(atoms: Sequence[Segment], size: WindowSize) -> Iterator[tuple[int, int]]:
    """Index ranges of windows of even size that cover all atoms."""
    sums = list(accumulate((atom.weight for atom in atoms), initial=0.0))
    count = len(atoms)
    parts = max(1, math.ceil((sums[-1] - size.overlap) / (size.words - size.overlap) - 0.2))
    target = size.overlap + (sums[-1] - size.overlap) / parts
    first, covered = 0, 0
    while True:
        end = _cut(atoms, sums, (first, covered + 1), target)
        if sums[count] - sums[end] < TINY / 2 * size.words and sums[count] - sums[first] <= 2 * SLACK * size.words:
            end = count
        yield first, end
        if end == count:
            return
        first, covered = _resume(atoms, sums, (first, end), size), end


def _cut(atoms: Sequence[Segment], sums: Sequence[float], at: tuple[int, int], target: float) -> int:
    """Where the window from atom ``at[0]`` ends: at ``at[1]`` or after, a strong boundary near the wished size."""
    first, end = at
    count = len(atoms)
    best, best_score = end, -math.inf
    while end < count:
        weight = sums[end] - sums[first]
        if weight > target * _LATEST:
            break
        if weight >= target * _EARLIEST:
            score = atoms[end].cut - _PENALTY * abs(weight - target) / target
            if score >= best_score:
                best, best_score = end, score
        else:
            best = end
        end += 1
    if end == count and sums[count] - sums[first] <= target * _LATEST:
        return count
    if sums[best] - sums[first] < TINY * target:
        # What follows is code or a table that is too long for the window but not to be cut.
        return min(end, count)
    return best


def _resume(atoms: Sequence[Segment], sums: Sequence[float], at: tuple[int, int], size: WindowSize) -> int:
    """Where the next window starts: about ``size.overlap`` words back, rather at the start of a sentence or block."""
    first, end = at
    best, best_score = end, -math.inf
    start = end - 1
    room = size.words * SLACK - atoms[end].weight
    while start > first and size.overlap > 0:
        shared = sums[end] - sums[start]
        if shared > min(1.5 * size.overlap, room):
            break
        score = min(atoms[start].cut, AT_ITEM) - _PENALTY * abs(shared - size.overlap) / size.overlap
        if score > best_score:
            best, best_score = start, score
        start -= 1
    return best


def _common(segments: Sequence[Segment]) -> tuple[str, ...]:
    common = segments[0].path
    for segment in segments:
        path = segment.path
        if path is common or path == common:
            continue
        length = 0
        for mine, other in zip(common, path, strict=False):
            if mine != other:
                break
            length += 1
        common = common[:length]
    return common


def _dominant(segments: Sequence[Segment]) -> str:
    weights = dict.fromkeys(_KINDS, 0.0)
    total = 0.0
    for segment in segments:
        if not segment.level:
            total += segment.weight
            if segment.kind in weights:
                weights[segment.kind] += segment.weight
    kind = max(_KINDS, key=weights.__getitem__)
    return kind if total and weights[kind] * 2 > total else "section"
