"""A document cut into fragments: windows that lose no character and know their place.

A section stays one window where it fits; small sections are joined, long ones cut at the best boundaries near the
wished size, with an overlap. A conversation is cut between turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from hearth.core.fragment import Fragment
from hearth.markdown import turns
from hearth.markdown.blocks import Lines, MarkdownBlock, counter, scan
from hearth.markdown.head import frontmatter
from hearth.markdown.windows import SLACK, FragmentPiece, Measure, TextWindow, WindowSize, outline, window, windows

VERSION = 8
"""Part of the index fingerprint: change it with the rules."""

DEFAULT_WORDS = 120
DEFAULT_OVERLAP = 50
MAX_FRAGMENTS = 2000


def fragment(
    text: str, *, words: int = DEFAULT_WORDS, overlap: int = DEFAULT_OVERLAP, first_line: int = 1
) -> list[Fragment]:
    """The fragments of a whole text, frontmatter included, in order; none for an empty text.

    Windows hold about ``words`` words (see ``weight.words``) and cut ones share about ``overlap`` (at most half a
    window). ``first_line`` is the number of the text's first line, where it is part of a file; only line 1 may
    start frontmatter. Beyond ``MAX_FRAGMENTS`` windows grow until few enough are left, so nothing is dropped.
    """
    if not text:
        return []
    lines = Lines(text)
    head = frontmatter.split(text).end_line if first_line == 1 else 0
    blocks = list(scan(lines.rows, head))
    starts = turns.find(lines.rows, blocks)
    if starts:
        blocks = turns.divide(blocks, starts)
    measure = counter(text)
    document = _Document(lines, head, blocks, starts, measure)
    size = WindowSize(max(words, 1), min(max(overlap, 0), max(words, 1) / 2))
    # Of a size that gives too many, no more than one too many are made.
    while len(found := list(islice(document.windows(size), MAX_FRAGMENTS + 1))) > MAX_FRAGMENTS:
        size = size.doubled()
    return [_place(lines, seq, entry, first_line) for seq, entry in enumerate(found)]


class _Document:
    """A scanned text, to be cut at any size."""

    def __init__(
        self, lines: Lines, head: int, blocks: Sequence[MarkdownBlock], starts: Sequence[int], measure: Measure
    ) -> None:
        self._text = lines.text
        self._measure = measure
        self._weight = measure(lines.text)
        self._head = lines.starts[head]
        marks = set(starts)
        role_level = next((block.level for block in blocks if block.first in marks), 0)

        def floor(block: MarkdownBlock) -> int:
            """Headings that a speaker wrote stand below the headings that name speakers."""
            inside = bool(role_level) and block.first > starts[0] and block.first not in marks
            return role_level + 1 if inside else 1

        self._pieces = outline(lines, blocks, measure, floor)
        openings = {lines.starts[line] for line in starts}
        self._turns = _turns(self._pieces, openings) if starts else []

    def windows(self, size: WindowSize) -> Iterator[TextWindow]:
        yield from self._frontmatter(size)
        if self._weight > size.words * SLACK:
            yield from self._body(size)
        elif self._head < len(self._text):
            path = window(self._pieces).path if self._pieces else ()
            yield TextWindow(self._head, len(self._text), "full", path)

    def _frontmatter(self, size: WindowSize) -> Iterator[TextWindow]:
        if self._head:
            block = FragmentPiece(0, self._head, self._measure(self._text[: self._head]), "frontmatter", ())
            for part in windows(self._text, [block], size, self._measure):
                yield window(part, "frontmatter")

    def _body(self, size: WindowSize) -> Iterator[TextWindow]:
        if self._turns:
            yield from turns.turn_windows(self._text, self._turns, size, self._measure)
            return
        for part in windows(self._text, self._pieces, size, self._measure):
            yield window(part)


def _turns(pieces: Sequence[FragmentPiece], openings: set[int]) -> list[list[FragmentPiece]]:
    """Pieces by turn; what stands before the first turn goes with it."""
    grouped: list[list[FragmentPiece]] = [[]]
    opened = False
    for piece in pieces:
        if piece.start in openings:
            if opened:
                grouped.append([])
            opened = True
        grouped[-1].append(piece)
    return grouped


def _place(lines: Lines, seq: int, entry: TextWindow, first_line: int) -> Fragment:
    return Fragment(
        seq=seq,
        kind=entry.kind,
        start_line=lines.number(entry.start) + first_line - 1,
        end_line=lines.number(entry.end - 1) + first_line - 1,
        start_char=entry.start,
        end_char=entry.end,
        text=lines.text[entry.start : entry.end],
        headings=entry.path,
        context=entry.context,
    )
