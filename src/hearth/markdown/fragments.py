"""A document cut into fragments that lose no character and know their place; of a chat, windows of whole turns.

Whoever changes what comes out raises ``FRAGMENTS`` in the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from hearth.core.document import SAID, Fragment
from hearth.markdown import DEFAULT_OVERLAP, DEFAULT_WORDS, frontmatter
from hearth.markdown.blocks import Lines, MarkdownBlock, counter, opening, scan
from hearth.markdown.turns import find
from hearth.markdown.windows import (
    SLACK,
    TINY,
    Measure,
    Segment,
    TextWindow,
    WindowSize,
    outline,
    window,
    windows,
)
from hearth.ports import StoredFragment

CONTEXT_WORDS = 30


def embedding_text(part: Fragment | StoredFragment, title: str) -> str:
    """What stands for a fragment in a vector space: where it is, what it answers, what it says. A person's own sentence
    stands for itself alone: what its conversation is called is what was asked first."""
    above = "" if part.kind == SAID else " > ".join(dict.fromkeys((title, *part.headings)))
    return "\n".join(text for text in (above, part.context, part.text) if text)


def divide(blocks: Sequence[MarkdownBlock], starts: Sequence[int]) -> list[MarkdownBlock]:
    """The blocks, cut where a turn starts inside one."""
    marks = set(starts)
    divided: list[MarkdownBlock] = []
    for block in blocks:
        first = block.first
        for line in range(block.first + 1, block.end) if block.kind == "text" else ():
            if line in marks:
                divided.append(block._replace(first=first, end=line))
                first = line
        divided.append(block._replace(first=first))
    return divided


def turn_windows(
    text: str, turns: Sequence[Sequence[Segment]], size: WindowSize, measure: Measure
) -> Iterator[TextWindow]:
    """Short turns in groups that share whole turns; a long turn cut on its own, with the turn before as context."""
    weights = [sum(segment.weight for segment in turn) for turn in turns]
    group: list[int] = []
    weight_held, fresh = 0.0, False
    for index, weight in enumerate(weights):
        if weight > size.words * SLACK:
            lead = group if fresh and weight_held < TINY * size.words else []
            if fresh and not lead:
                yield _group(turns, group)
            yield from _long(text, turns, [*lead, index], size, measure)
            group, weight_held, fresh = [], 0.0, False
            continue
        if group and weight_held + weight > size.words:
            if fresh:
                yield _group(turns, group)
            group = _choose_shared(weights, group, min(size.overlap, size.words * SLACK - weight), size.overlap)
            weight_held = sum(weights[i] for i in group)
        group.append(index)
        weight_held, fresh = weight_held + weight, True
    if fresh:
        yield _group(turns, group)


def _group(turns: Sequence[Sequence[Segment]], group: Sequence[int]) -> TextWindow:
    return window([segment for i in group for segment in turns[i]], "turn")


def _choose_shared(weights: Sequence[float], group: Sequence[int], room: float, overlap: float) -> list[int]:
    """The last turns of a group that the next one repeats: about ``overlap`` words, never all of them."""
    shared: list[int] = []
    weight = 0.0
    for index in reversed(group[1:]):
        closer = abs(weight + weights[index] - overlap) < abs(weight - overlap)
        if not closer or weight + weights[index] > max(room, 0) * 1.5:
            break
        shared.insert(0, index)
        weight += weights[index]
    return shared


def _long(
    text: str, turns: Sequence[Sequence[Segment]], indexes: Sequence[int], size: WindowSize, measure: Measure
) -> Iterator[TextWindow]:
    """Windows of one long turn, led by any tiny turns before it."""
    segments = list(turns[indexes[-1]])
    asked = turns[indexes[-1] - 1] if indexes[-1] else []
    if len(indexes) > 1:
        lead = sum(segment.weight for i in indexes[:-1] for segment in turns[i])
        segments[0] = segments[0]._replace(start=turns[indexes[0]][0].start, weight=segments[0].weight + lead)
    context = _question(text, asked)
    for part in windows(text, segments, size, measure):
        inside = bool(asked) and part[0].start <= asked[0].start
        yield window(part, "turn", "" if inside else context)


def _question(text: str, turn: Sequence[Segment]) -> str:
    segments = [segment for segment in turn if not segment.level] or turn
    return opening(text[segments[0].start : segments[-1].end], CONTEXT_WORDS) if segments else ""


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
    starts = find(lines.rows, blocks)
    if starts:
        blocks = divide(blocks, starts)
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
            block = Segment(0, self._head, self._measure(self._text[: self._head]), "frontmatter", ())
            for part in windows(self._text, [block], size, self._measure):
                yield window(part, "frontmatter")

    def _body(self, size: WindowSize) -> Iterator[TextWindow]:
        if self._turns:
            yield from turn_windows(self._text, self._turns, size, self._measure)
            return
        for part in windows(self._text, self._pieces, size, self._measure):
            yield window(part)


def _turns(segments: Sequence[Segment], openings: set[int]) -> list[list[Segment]]:
    """Pieces by turn; what stands before the first turn goes with it."""
    grouped: list[list[Segment]] = [[]]
    opened = False
    for segment in segments:
        if segment.start in openings:
            if opened:
                grouped.append([])
            opened = True
        grouped[-1].append(segment)
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
