"""Units of packing: a window of several turns is packed turn by turn, anything else as the window it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import NamedTuple

from hearth.extract.standing import is_standing
from hearth.guard.fence import TRUSTED
from hearth.markdown.blocks import scan
from hearth.markdown.turns import asks, is_answer, opens_by_heading, split_turns
from hearth.model.fragment import Fragment
from hearth.ranking.echo import find_repeated
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import PACK, VOICE

Worth = Callable[[Sequence[str]], Sequence[float]]
# Windows whose parts are kept: what one question brings up, the next one often does too.
_KEPT = 2_048


class _Part(NamedTuple):
    """Lines of a window, counted from its first; ``quiet`` where an assistant speaks and the window is not all its;
    ``standing`` where the person who asks says how to act from now on."""

    first: int
    last: int
    text: str
    quiet: bool
    standing: bool


class _Unit(NamedTuple):
    """A part as a candidate to be; most are never packed, so none is made before its turn comes."""

    candidate: Candidate
    start: int
    end: int
    text: str
    score: float
    standing: bool = False


def split_units(candidates: Sequence[Candidate], worth: Worth) -> Iterator[Candidate]:
    """Every unit once, best first: a turn scores with its best window, with what it says itself, and with the turns
    beside it, yet what we noted about a session stays below the passage that it repeats. ``worth`` judges texts on
    their own, in [0, 1]."""
    found: dict[tuple[int, int, int, str], _Unit] = {}
    for candidate in candidates:
        for unit in _split(candidate):
            key = (candidate.document.id, unit.start, unit.end, unit.text)
            if key not in found or found[key].score < unit.score:
                found[key] = unit
    all_units = list(found.values())
    own = worth([unit.text for unit in all_units])
    scores = [u.score + PACK.own * value + PACK.standing * u.standing for u, value in zip(all_units, own, strict=True)]
    rows = [unit.candidate.document.id for unit in all_units]
    starts = {(row, u.start): s for row, u, s in zip(rows, all_units, scores, strict=True)}
    ends = {(row, u.end): s for row, u, s in zip(rows, all_units, scores, strict=True)}

    def rank(at: int) -> float:
        row, unit = rows[at], all_units[at]
        beside = max(ends.get((row, unit.start - 1), 0.0), starts.get((row, unit.end + 1), 0.0))
        return scores[at] + PACK.beside * beside

    ranks = [rank(at) for at in range(len(all_units))]
    best = {rows[at]: ranks[at] for at in sorted(range(len(ranks)), key=ranks.__getitem__)}
    repeated = find_repeated(candidates)
    limits = {row: (source.score, best.get(source.document.id, inf)) for row, source in repeated.items()}

    def place(at: int) -> tuple[float, bool, int]:
        above, limit = limits.get(rows[at], (-inf, inf))
        echo = all_units[at].candidate.score <= above
        return (-min(ranks[at], limit) if echo else -ranks[at], echo, at)

    for at in sorted(range(len(ranks)), key=place):
        yield _make(all_units[at])


def _split(candidate: Candidate) -> Iterator[_Unit]:
    fragment = candidate.fragment
    if fragment.kind != "turn":
        yield _Unit(candidate, fragment.start_line, fragment.end_line, fragment.text, candidate.score)
        return
    trusted = candidate.document.document.trust == TRUSTED
    for part in _split_window(fragment.text, fragment.headings, fragment.context):
        last = min(fragment.start_line + part.last, fragment.end_line)
        score = candidate.score * (VOICE if part.quiet else 1.0)
        yield _Unit(candidate, fragment.start_line + part.first, last, part.text, score, trusted and part.standing)


@lru_cache(maxsize=_KEPT)
def _split_window(text: str, headings: tuple[str, ...], context: str) -> tuple[_Part, ...]:
    """The turns of a window, or all of it where it is one turn."""
    whole = _is_answer(text, headings, context)
    rows = text.split("\n")
    by_heading = opens_by_heading(rows, headings)
    ranges = split_turns(text, by_heading=by_heading)
    code = _find_code(rows) if "```" in text or "~~~" in text else frozenset()
    parts: list[_Part] = []
    answering = _is_answer("", headings, context)
    for first, end in ranges:
        said = "\n".join(rows[first:end])
        if said.strip():
            asking = None if first in code else asks(said, by_heading=by_heading)
            # What names nobody is the next heading of whoever speaks.
            answering = answering if asking is None else not asking
            standing = asking is True and is_standing(said)
            parts.append(_Part(first, end - 1, said, answering and not whole, standing))
    return tuple(parts)


def _find_code(rows: Sequence[str]) -> frozenset[int]:
    """The rows that stand in a block of code: nobody speaks there."""
    return frozenset(at for block in scan(rows, 0) if block.kind == "code" for at in range(block.first, block.end))


def _is_answer(text: str, headings: tuple[str, ...], context: str) -> bool:
    return is_answer(Fragment(0, "turn", 0, 0, 0, 0, text, headings, context))


def _make(unit: _Unit) -> Candidate:
    fragment = unit.candidate.fragment
    if unit.text is fragment.text:
        return unit.candidate
    part = replace(fragment, start_line=unit.start, end_line=unit.end, text=unit.text)
    return replace(unit.candidate, fragment=part, score=unit.score)
