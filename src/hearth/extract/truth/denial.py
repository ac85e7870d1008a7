"""Denials: a later statement says that what an earlier one tells of is not so, was never done, or is done by now."""

from __future__ import annotations

from collections.abc import Mapping

from hearth.language.likeness import Likeness
from hearth.language.slots import Statement
from hearth.lazy import regex

_MOST = 0.5
"""The part of what was never done that the earlier statement has to tell of."""
_LEAST = 2
_YEAR = regex(r"(?:19|20)\d\d")
Cues = Mapping[str, str]


def is_denied(one: Statement, before: Cues, other: Statement, now: Cues) -> bool:
    """Whether one says of the same thing that it is not so."""
    ended = "end" in now and "end" not in before
    if (
        now.keys() & {"never", "asks"}
        or ("end" in now and "end" in before)
        or before.keys() & {"change", "instead"}
        or (one.is_negative and ended)
    ):
        return False
    mine, theirs = one.content, other.content
    if one.is_negative and not other.is_negative and now.keys() & {"now", "change", "fix"}:
        return mine == theirs or (bool(mine) and (mine <= theirs or one.first == other.first))  # a ban is lifted
    if one.is_negative != other.is_negative:
        return mine == theirs or (bool(theirs) and theirs <= mine and bool(ended or "now" in now))
    return ended and bool(theirs) and theirs <= mine and one.first in theirs


def is_never_done(one: Statement, before: Cues, other: Statement, now: Cues, likeness: Likeness) -> bool:
    """Whether the newer one says that its speaker never did, or has not yet done, what the older one tells of."""
    if "never" not in now or "never" in before or one.is_negative or likeness.apart:
        return False
    years = [{figure for figure in side.figures if _YEAR.fullmatch(figure)} for side in (one, other)]
    if (years[0] and years[1] and years[0].isdisjoint(years[1])) or _has_other_word(one, other):
        return False
    told = [topic for topic in other.order if topic in other.topics]
    if likeness.named and "example" in now:
        return True
    return len(likeness.shared) >= min(_LEAST, len(told)) and len(likeness.shared) > _MOST * (len(told) - 1)


def is_done_by_now(one: Statement, before: Cues, other: Statement, now: Cues, likeness: Likeness) -> bool:
    """Whether the newer one tells as done all of what the older one says was not done yet."""
    if "yet" not in before or now.keys() & {"never", "asks", "lean", "will"} or other.is_negative or likeness.apart:
        return False
    return len(one.content) >= _LEAST and one.content <= other.content


def _has_other_word(one: Statement, other: Statement) -> bool:
    """Whether the two differ in one word, and what follows it is the same: "tidal power", "nuclear power"."""
    if len(one.order) != len(other.order):
        return False
    places = [at for at, pair in enumerate(zip(one.order, other.order, strict=True)) if pair[0] != pair[1]]
    return len(places) == 1 and 0 < places[0] < len(one.order) - 1
