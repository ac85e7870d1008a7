"""Passwords that a sentence leads to without naming one: how to log in, what opens a file, what it was changed to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from hearth.guard.secrets.passwords import stands_out
from hearth.guard.secrets.spans import Span
from hearth.guard.secrets.spellings import spellings
from hearth.language.words import Row, rows
from hearth.lazy import regex

_KINDS = ("login", "unlock", "change")
# The words that open a pattern, one of which a text must have.
_FIRST = regex(r"(?:\(\?:)?([\w|'-]+)")
_VALUE = regex(r"(?:[ ]?[:=→])?[ \t]{1,3}[\"'`*„“«(]{0,3}(?P<secret>[^\s\"'`«»„“”,;|()<>\[\]{}]{6,64})")
_SECOND = regex(r"[\"'`*]{0,2}[ ](?:/|or|and|then|oder|ou|o|of|eller|или)[ ]")


def cued(text: str, lowered: str, words: Set[str]) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; ``words`` its words among ``cue_words``."""
    if not words:
        return
    by_word = _by_word()
    for pattern in dict.fromkeys(pattern for word in words if word in by_word for pattern in by_word[word]):
        for cue in pattern.finditer(lowered):
            value = _VALUE.match(text, cue.end())
            if value is None:
                continue
            secret = value["secret"].rstrip(".:*_")
            if stands_out(secret):
                yield value.start("secret"), value.start("secret") + len(secret), "password"


@cache
def cue_words() -> frozenset[str]:
    """The words that open a cue, as texts write them."""
    return frozenset(_by_word())


@cache
def _by_word() -> dict[str, list[re.Pattern[str]]]:
    by_word: dict[str, list[re.Pattern[str]]] = {}
    for row in rows("secrets"):
        if row.kind in _KINDS:
            pattern = regex(row.expression)
            for word in spellings(_openers(row), closed=True):
                by_word.setdefault(word, []).append(pattern)
    return by_word


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
