"""Pieces: what windows are put together from, and how good a place for a cut stands before each."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.markdown.blocks import MarkdownBlock
from hearth.markdown.lines import Lines
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
