"""What an agent may learn of corrections: those that somebody had to give again, the most frequent first. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from hearth.extract.pages.about import FRAME
from hearth.extract.pages.page import PageStatement
from hearth.lazy import dataclass
from hearth.text.lines import cut_line
from hearth.text.similarity import near_identical, repeats

MAX_CHARS = 400
"""Of one reflection."""
CONDENSED, PATTERNS = 8_000, 25
"""From so many characters on, so many of the most frequent are left."""
FULL = 15_000
"""Characters of a page to which nothing is added any more."""
_TIMES, _SOURCES = 2, 6


@dataclass(frozen=True, slots=True)
class GivenCorrection:
    """``occasions`` name when it was given: sessions, and how often it was said again."""

    docid: str
    text: str
    date: str
    occasions: frozenset[str]


@dataclass
class _Again:
    newest: GivenCorrection
    docids: list[str] = field(default_factory=list)
    occasions: set[str] = field(default_factory=set)


def reflect(corrections: Iterable[GivenCorrection]) -> list[PageStatement]:
    """Corrections that were given on two occasions at least, in the words of the newest."""
    groups: list[_Again] = []
    for one in sorted(corrections, key=lambda one: (one.date, one.docid), reverse=True):
        same = next((group for group in groups if _is_same(group.newest.text, one.text)), None)
        if same is None:
            groups.append(same := _Again(one))
        same.docids.append(one.docid)
        same.occasions |= one.occasions
    again = [group for group in groups if len(group.occasions) >= _TIMES]
    again.sort(key=lambda group: (-len(group.occasions), group.newest.docid))
    return [
        PageStatement(
            cut_line(f"Corrected {len(group.occasions)} times: {group.newest.text}", MAX_CHARS),
            tuple(group.docids[:_SOURCES]),
            group.newest.date,
        )
        for group in again
    ]


def condense(statements: Sequence[PageStatement], own: int) -> list[PageStatement]:
    """What there is room for on a page on which a person wrote ``own`` characters: from 8,000 on 25, and nothing that
    would take it beyond 15,000."""
    kept: list[PageStatement] = []
    size = own
    much = own + sum(len(one.line) for one in statements) >= CONDENSED
    for one in statements[: PATTERNS if much else len(statements)]:
        if size + len(one.line) > FULL:
            break
        kept.append(one)
        size += len(one.line)
    return kept


def _is_same(one: str, other: str) -> bool:
    return near_identical(one, other) or repeats(one, other, FRAME)
