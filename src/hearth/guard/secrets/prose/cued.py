"""Passwords that a sentence leads to without naming one: how to log in, what opens a file, what it was changed to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from hearth.guard.secrets.passwords import stands_out
from hearth.guard.secrets.vocabulary import Span, spellings
from hearth.language.words import Row, rows
from hearth.lazy import regex

_KINDS = ("login", "unlock", "change")
# The words that open a pattern, one of which a text must have.
_FIRST = regex(r"(?:\(\?:)?([\w|'-]+)")
_VALUE = regex(r"(?:[ ]?[:→])?[ \t]{1,3}[\"'`*„“«(]{0,3}(?P<secret>[^\s\"'`«»„“”,;|()<>\[\]{}]{6,64})")
_REACH = 160


def cued(text: str, lowered: str, words: Set[str]) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; ``words`` its words among ``cue_words``."""
    for opener in {opener for word in words for opener in _openers_of().get(word, ())}:
        at = lowered.find(opener)
        while at >= 0:
            if not lowered[at - 1 : at].isalnum():
                yield from _led_to(text, lowered, at, opener)
            at = lowered.find(opener, at + len(opener))


def _led_to(text: str, lowered: str, at: int, opener: str) -> Iterator[Span]:
    for pattern in _patterns()[opener]:
        cue = pattern.match(lowered, at, at + _REACH)
        value = _VALUE.match(text, cue.end()) if cue else None
        if value is None:
            continue
        secret = value["secret"].rstrip(".:*_")
        if stands_out(secret):
            yield value.start("secret"), value.start("secret") + len(secret), "password"


@cache
def cue_words() -> frozenset[str]:
    """The words that open a cue, as texts write them."""
    return frozenset(_openers_of())


@cache
def _openers_of() -> dict[str, set[str]]:
    """Openers by the words that they are written as."""
    found: dict[str, set[str]] = {}
    for opener in _patterns():
        for word in spellings([opener], closed=True):
            found.setdefault(word, set()).add(opener)
    return found


@cache
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    """The patterns by the word that opens them."""
    patterns: dict[str, list[re.Pattern[str]]] = {}
    for row in rows("secrets"):
        if row.kind in _KINDS:
            for opener in _openers(row):
                patterns.setdefault(opener, []).append(regex(row.expression))
    return patterns


def _openers(row: Row) -> list[str]:
    found: list[str] = []
    depth, branch = 0, 0
    for at, char in enumerate(row.pattern + "|"):
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            opener = _FIRST.match(row.pattern, branch)
            found += opener[1].split("|") if opener else []
            branch = at + 1
    return found
