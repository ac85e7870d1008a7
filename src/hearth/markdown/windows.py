"""Windows over pieces: sections kept together, small ones merged, long ones cut with an overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from hearth.markdown.pieces import AT_ITEM, FragmentPiece, Measure, refine

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
