"""Repeats: what a reader has read already is not shown again, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hearth.lazy import regex
from hearth.model.query import Hit
from hearth.text.sentences import split_sentences

_WORD = regex(r"\w+")
_HEADING = regex(r" {0,3}#{1,6}(?:\s|$)")
# Shorter ones stand in many places and say nothing by being there: "yes", "**User:**", the rule of a table.
_LEAST_CHARS = 20


class Repeats:
    """What was said so far, sentence by sentence."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def drop(self, hit: Hit) -> list[Hit]:
        """The hit without the sentences that a hit before it says. Where lines are left out in between, it becomes
        several, so that each holds the very lines that it names."""
        rows = hit.text.split("\n")
        own: set[str] = set()
        fresh = [_fresh(row, self._said, own) for row in rows]
        self._said |= own
        return [hit] if fresh == rows else list(_runs(hit, fresh))


def _fresh(row: str, seen: set[str], own: set[str]) -> str | None:
    """A line without what was said before; ``None`` where all of it was."""
    parts = split_sentences(row)
    left = []
    for part in parts:
        key = " ".join(_WORD.findall(part.casefold()))
        if len(key) < _LEAST_CHARS or not (key in seen or key in own):
            left.append(part)
        if len(key) >= _LEAST_CHARS:
            own.add(key)
    if len(left) == len(parts):
        return row
    return " ".join(left) if any(map(_WORD.search, left)) else None


def _runs(hit: Hit, rows: list[str | None]) -> Iterator[Hit]:
    """The lines that are left, as far as they stand together and say something; no heading at their end."""
    start = 0
    for at, row in enumerate([*rows, None]):
        if row is not None:
            continue
        run = [text for text in rows[start:at] if text is not None]
        while run and (not run[-1].strip() or _HEADING.match(run[-1])):
            run.pop()
        # In bytes, since a Han character says about as much as three letters.
        if (
            sum(len(text.strip().encode("utf-8", "replace")) for text in run if not _HEADING.match(text))
            >= _LEAST_CHARS
        ):
            first, last = hit.start_line + start, min(hit.start_line + start + len(run) - 1, hit.end_line)
            yield replace(hit, text="\n".join(run), start_line=first, end_line=max(first, last))
        start = at + 1
