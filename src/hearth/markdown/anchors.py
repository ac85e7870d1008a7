"""Parts of a note that a link names behind its ``#``: a heading, headings below each other, or a block."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.lazy import regex
from hearth.markdown.blocks import MarkdownBlock, scan
from hearth.markdown.head import frontmatter
from hearth.markdown.lines import Lines
from hearth.text.names import name_key

_BLOCK = regex(r"(?:^|[ \t])\^([\w-]+)[ \t]*$")
_INDENT = regex(r"[ \t]*")


def lines_of(text: str, part: str) -> tuple[int, int] | None:
    """First and last line (1-based) of ``Heading``, ``Heading#One below`` or ``^block`` in a note; ``None`` where there
    is no such part."""
    rows = Lines(text).rows
    blocks = list(scan(rows, frontmatter.split(text).end_line))
    if part.startswith("^"):
        found = _block(rows, blocks, part[1:].strip())
    else:
        found = _section(rows, blocks, [name_key(step) for step in part.split("#") if step.strip()])
    if found is None:
        return None
    first, end = found
    while end - 1 > first and not rows[end - 1].strip():
        end -= 1
    return first + 1, end


def _section(rows: Sequence[str], blocks: Sequence[MarkdownBlock], steps: Sequence[str]) -> tuple[int, int] | None:
    """From a heading to the next of its level or above; each step stands below the one before."""
    start, end = 0, len(rows)
    for step in steps:
        inside = [block for block in blocks if block.level and start <= block.first < end]
        heading = next((block for block in inside if name_key(block.title) == step), None)
        if heading is None:
            return None
        later = (block.first for block in inside if block.first > heading.first and block.level <= heading.level)
        start, end = heading.first, next(later, end)
    return (start, end) if steps else None


def _block(rows: Sequence[str], blocks: Sequence[MarkdownBlock], name: str) -> tuple[int, int] | None:
    """The block that ends in ``^name``, of a list its item; the block before where nothing else stands there."""
    before: MarkdownBlock | None = None
    for block in blocks:
        for at in range(block.first, block.end):
            mark = _BLOCK.search(rows[at]) if block.kind != "code" else None
            if mark is None or mark[1].casefold() != name.casefold():
                continue
            if not rows[at][: mark.start()].strip():
                return (block.first, at) if at > block.first else (before.first, at) if before else (at, at + 1)
            return (at, _item_end(rows, at, block.end)) if block.kind == "list" else (block.first, block.end)
        before = block
    return None


def _item_end(rows: Sequence[str], at: int, end: int) -> int:
    """The line after an item and all below it."""
    depth = _depth(rows[at])
    below = (line for line in range(at + 1, end) if rows[line].strip() and _depth(rows[line]) <= depth)
    return next(below, end)


def _depth(row: str) -> int:
    found = _INDENT.match(row)
    return len(found[0].expandtabs(4)) if found else 0
