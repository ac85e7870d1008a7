"""Tellings: the figures and times that a sentence gives, what they count, and which of them it says to be so lately."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from hearth.extract.truth.tables import Key, cues
from hearth.extract.truth.tokens import tokens
from hearth.language.words import LANGUAGES

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
    """In order. Where the language is none that is known, nothing is told."""
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
