"""Windows over a text: the pieces of its blocks, joined to the size of a fragment."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.markdown.blocks import Lines, MarkdownBlock
from hearth.text import lines

# Strengths of the cut before a piece; only their order and rough distance matter.
AT_HEADING, AT_BLOCK, AT_ITEM, AT_SENTENCE, AT_WORD = 6.0, 4.0, 3.0, 2.0, 0.0

Measure = Callable[[str], float]

# A space after the end of a sentence, or right behind a full-width full stop.
_SPACE = regex(r"\s+")
_LINE = regex(r"\n")
_BLANK_LINE = regex(r"\n[ \t\r]*\n")
_WORD_REACH = 80


class FragmentPiece(NamedTuple):
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
) -> list[FragmentPiece]:
    """One piece for each block, with its path of headings. ``floor`` gives the least level a heading counts as."""
    text, starts = lines.text, lines.starts
    pieces: list[FragmentPiece] = []
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
        pieces.append(FragmentPiece(start, end, measure(text[start:end]), block.kind, path, cut, level))
        before = block.kind
    return pieces


def refine(text: str, pieces: Sequence[FragmentPiece], words: float, measure: Measure) -> list[FragmentPiece]:
    """Cuts pieces finer, for windows of ``words``; a heading becomes one piece with what follows it.

    Code and tables stay whole up to twice the window, everything else up to a quarter of it.
    """
    atoms: list[FragmentPiece] = []
    lead: FragmentPiece | None = None
    for piece in pieces:
        if piece.level and piece.weight + (lead.weight if lead else 0) <= words / 2:
            lead = piece if lead is None else lead._replace(end=piece.end, weight=lead.weight + piece.weight)
            continue
        whole = 2 * words if piece.kind in ("code", "table") else words / 4
        parts = [piece] if piece.weight <= whole else _divide(text, piece, words, measure)
        if lead is not None:
            head = parts[0]
            parts[0] = head._replace(start=lead.start, weight=lead.weight + head.weight, cut=lead.cut)
            lead = None
        atoms += parts
    if lead is not None:
        atoms.append(lead)
    return atoms


def _divide(text: str, piece: FragmentPiece, words: float, measure: Measure) -> list[FragmentPiece]:
    if piece.kind in ("text", "heading", "blank"):
        cuts = [(match.end(), AT_SENTENCE) for match in lines.END.finditer(text, piece.start, piece.end)]
    else:
        blank = {match.end() for match in _BLANK_LINE.finditer(text, piece.start, piece.end)}
        ends = (match.end() for match in _LINE.finditer(text, piece.start, piece.end))
        cuts = [(end, AT_ITEM if end in blank else AT_SENTENCE) for end in ends]
    parts: list[FragmentPiece] = []
    start, cut = piece.start, piece.cut
    for end, following in [*cuts, (piece.end, AT_BLOCK)]:
        if end <= start:
            continue
        part = piece._replace(start=start, end=end, weight=measure(text[start:end]), cut=cut)
        if part.weight <= words / 2:
            parts.append(part)
        elif piece.kind == "text" or not lines.END.search(text, start, end):
            parts += _chop(text, part, words, measure)
        else:
            parts += _divide(text, part._replace(kind="text"), words, measure)
        start, cut = end, following
    return [part._replace(kind=piece.kind) for part in parts]


def _chop(text: str, piece: FragmentPiece, words: float, measure: Measure) -> list[FragmentPiece]:
    """Parts of about a quarter window, cut between words, or between characters where no space is near."""
    share = max(2, math.ceil(piece.weight / max(words / 4, 1)))
    step = max(1, (piece.end - piece.start) // share)
    parts: list[FragmentPiece] = []
    start, cut = piece.start, piece.cut
    while start < piece.end:
        end = _word_end(text, start + step, piece.end)
        part = piece._replace(start=start, end=end, weight=measure(text[start:end]), cut=cut)
        # Mixed scripts weigh differently by character; each round at least halves what is still too long.
        if part.weight > words / 2 and end - start > max(2 * words, 1) and end - start < piece.end - piece.start:
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


def window(pieces: Sequence[FragmentPiece], kind: str | None = None, context: str = "") -> TextWindow:
    """One window over consecutive pieces; its kind is what most of its words are, unless given."""
    return TextWindow(pieces[0].start, pieces[-1].end, kind or _dominant(pieces), _common(pieces), context)


def windows(
    text: str, pieces: Sequence[FragmentPiece], size: WindowSize, measure: Measure
) -> Iterator[list[FragmentPiece]]:
    """The pieces of each window, in order; neighbours cut from one long section share pieces."""
    for group in _groups(pieces, size.words):
        if sum(piece.weight for piece in group) <= size.words * SLACK:
            yield group
            continue
        atoms = refine(text, group, size.words, measure)
        for first, end in _pack(atoms, size):
            yield atoms[first:end]


def _groups(pieces: Sequence[FragmentPiece], words: float) -> Iterator[list[FragmentPiece]]:
    """Sections, small neighbours merged."""
    group: list[FragmentPiece] = []
    weight = 0.0
    for section in _sections(pieces, words):
        own = sum(piece.weight for piece in section)
        if group and not _joins(weight, own, group[0], section[0], words):
            yield group
            group, weight = [], 0.0
        group.extend(section)
        weight += own
    if group:
        yield group


def _joins(weight: float, own: float, first: FragmentPiece, following: FragmentPiece, words: float) -> bool:
    if weight + own <= words * (SLACK if min(weight, own) < TINY * words else 1):
        return not (0 < following.level <= 2 and min(weight, own) >= APART * words)
    child = following.path[: len(first.path)] == first.path and len(following.path) > len(first.path)
    return weight < TINY * words and (child or not first.level)


def _sections(pieces: Sequence[FragmentPiece], words: float) -> Iterator[list[FragmentPiece]]:
    """Headings with what stands below them; one without a body goes with the next, unless they fill a window."""
    section: list[FragmentPiece] = []
    bare, weight = True, 0.0
    for piece in pieces:
        if piece.level and section and (not bare or weight > words):
            yield section
            section, bare, weight = [], True, 0.0
        section.append(piece)
        weight += piece.weight
        bare = bare and piece.level > 0
    if section:
        yield section


def _pack(atoms: Sequence[FragmentPiece], size: WindowSize) -> Iterator[tuple[int, int]]:
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


def _cut(atoms: Sequence[FragmentPiece], sums: Sequence[float], at: tuple[int, int], target: float) -> int:
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


def _resume(atoms: Sequence[FragmentPiece], sums: Sequence[float], at: tuple[int, int], size: WindowSize) -> int:
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


def _common(pieces: Sequence[FragmentPiece]) -> tuple[str, ...]:
    common = pieces[0].path
    for piece in pieces:
        path = piece.path
        if path is common or path == common:
            continue
        length = 0
        for mine, other in zip(common, path, strict=False):
            if mine != other:
                break
            length += 1
        common = common[:length]
    return common


def _dominant(pieces: Sequence[FragmentPiece]) -> str:
    weights = dict.fromkeys(_KINDS, 0.0)
    total = 0.0
    for piece in pieces:
        if not piece.level:
            total += piece.weight
            if piece.kind in weights:
                weights[piece.kind] += piece.weight
    kind = max(_KINDS, key=weights.__getitem__)
    return kind if total and weights[kind] * 2 > total else "section"
