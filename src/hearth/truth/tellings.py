"""Denials, and the figures and times that a sentence gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from hearth.core.lazy import regex
from hearth.language.likeness import Likeness
from hearth.language.slots import Statement
from hearth.language.words import LANGUAGES
from hearth.truth.tokens import Key, cues, tokens

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


_WHEN = frozenset({"day", "time", "month", "date"})
_FIGURES = frozenset({"number", "version"})
_CUES = ("new", "now", "change", "fix")
_CURRENCIES = frozenset("$€£¥₹")
_NEAR = 60
"""Characters between a cue and the value that it is about."""
Kind = Literal["when", "figure"]


class Telling(NamedTuple):
    """A value by its kind and form; ``lately`` where a cue beside it says that it is so now or became so; of a figure
    the word before it, and the ``units`` behind it, of which one is what it counts."""

    kind: Kind
    form: str
    lately: bool
    before: str = ""
    units: tuple[str, ...] = ()


class _Token(NamedTuple):
    key: Key
    start: int
    end: int


def find_tellings(sentence: str, language: str) -> list[Telling]:
    """In order; nothing for an unknown language."""
    if language not in LANGUAGES:
        return []
    found = _place(sentence, language)
    spans: list[tuple[int, int]] | None = None
    told: list[Telling] = []
    for at, token in enumerate(found):
        kind = _kind(token, sentence)
        if kind is None:
            continue
        spans = _find_cues(sentence, language) if spans is None else spans
        lately = any(-_NEAR <= token.start - end <= _NEAR or 0 <= start - token.end <= _NEAR for start, end in spans)
        form = token.key[1]
        if kind == "when":
            told.append(Telling(kind, form, lately))
            continue
        units = tuple(_units(found[at : at + 3]))
        before = found[at - 1].key[1] if at and not found[at - 1].key[0] else ""
        told.append(Telling(kind, form, lately, before, ("",) if sentence[token.start - 1] in _CURRENCIES else units))
    return told


def _units(found: Sequence[_Token]) -> Iterator[str]:
    """Words right behind a figure."""
    for token, following in pairwise(found):
        if following.key[0] or following.start - token.end > 1:
            return
        yield following.key[1]


def _place(sentence: str, language: str) -> list[_Token]:
    found, at = [], 0
    for key, written in tokens(sentence, language):
        at = sentence.index(written, at)
        found.append(_Token(key, at, at + len(written.rstrip())))
        at += len(written)
    return found


def _kind(token: _Token, sentence: str) -> Kind | None:
    """A part of a fraction or a score says nothing by itself: "4/5"."""
    kind = token.key[0]
    if kind in _WHEN:
        return "when"
    beside = (sentence[token.start - 1 : token.start], sentence[token.end : token.end + 1])
    return "figure" if kind in _FIGURES and "/" not in beside else None


def _find_cues(sentence: str, language: str) -> list[tuple[int, int]]:
    return [match.span() for kind in _CUES for cue in cues(kind, language) for match in cue.finditer(sentence)]
