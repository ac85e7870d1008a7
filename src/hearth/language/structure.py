"""The form of a line: prose that somebody typed, or a line of a log, a program, a table, a document or a letter."""

from __future__ import annotations

from enum import StrEnum

from hearth.language.words import cues, forms
from hearth.lazy import regex

_LONGEST = 2_000
_LEAST_SIGNS = 12
_LETTERS = 0.62
"""The share of letters and spaces under which a line is no prose."""
_FAREWELL_CHARS = 60
_KEYED = regex(r"\s*(?:[-*•]\s+)?[^\W\d_][\w .'’/()-]{0,30}[:：]\s?\S")
_LISTED = regex(r"\s*(?:[-*+•‣]|\d{1,2}[.)]|[a-z]\)|\[[ xX]\])\s+\S")


class Form(StrEnum):
    """``LISTED`` is an item of a list, which people type, too; ``LETTER`` and ``FAREWELL`` open and end a letter."""

    PROSE = "prose"
    MACHINE = "machine"
    DOCUMENT = "document"
    LISTED = "listed"
    LETTER = "letter"
    FAREWELL = "farewell"


def form_of(line: str) -> Form:
    """Of one line without its line break."""
    line = line[:_LONGEST]
    if forms("forms", "machine").match(line) or _is_mostly_signs(line):
        return Form.MACHINE
    if cues("texts", "letter").match(line.lstrip()):
        return Form.LETTER
    if len(line) <= _FAREWELL_CHARS and cues("texts", "farewell").match(line.lstrip()):
        return Form.FAREWELL
    if forms("forms", "document").match(line):
        return Form.DOCUMENT
    return Form.LISTED if _LISTED.match(line) else Form.PROSE


def is_keyed(line: str) -> bool:
    """Whether a line begins with a name or a key and a colon, as lines of chats, tickets and minutes do."""
    return _KEYED.match(line) is not None


def _is_mostly_signs(line: str) -> bool:
    """Whether it holds hardly any words."""
    text = line.strip()
    if len(text) < _LEAST_SIGNS:
        return False
    return sum(char.isalpha() or char == " " for char in text) < _LETTERS * len(text)
