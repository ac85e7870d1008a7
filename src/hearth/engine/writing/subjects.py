"""What a memory is about, where nobody said so: its heading, the label before a colon, its first sentence."""

from __future__ import annotations

import re

from hearth.lazy import regex
from hearth.model.types import CONTENT_TYPES
from hearth.text.lines import cut_line
from hearth.text.sentences import ABBREVIATIONS
from hearth.text.similarity import normalised

TITLE_CHARS = 80
_HEADING = regex(r" {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*\Z")
# Before a quotation it says who speaks, not of what.
_LABEL = regex(r"([^\s:][^:\n]{0,59}?):(?=\s)(?!\s*[“„«「\"])")
_MARKS = regex(r"(?:[-*+>]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
# An underscore inside a word is part of a name.
_EMPHASIS = regex(r"[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_SENTENCE_END = regex(r"[.!?](?=\s|\Z)|[。！？]")
# A full stop after these ends no sentence: a number as in "1. März", an initial, a title.
_SHORTENED = regex(
    rf"(?<!\w)(?:\d{{1,2}}|[^\W\d_]|{ABBREVIATIONS})\Z",
    re.IGNORECASE,
)
_LABEL_WORDS = 6
# Headings and labels that say what kind of thing follows, not what it is about.
_OTHER_KINDS = """
entities user agent assistant human person memory memories remember reminder rule rules important always never tip todo
warning update context lesson
"""
_KINDS = frozenset((*CONTENT_TYPES, *(f"{name}s" for name in CONTENT_TYPES), *_OTHER_KINDS.split()))


def subject_key(subject: str | None, text: str) -> str:
    """What two memories of one subject share: the subject given, else what the text names first."""
    return _key(subject or subject_of(text))


def subject_of(text: str) -> str:
    """What the text names first, as it is written."""
    return heading(text) or _label(text) or _sentence(_first_line(text))


def heading(text: str) -> str | None:
    """The heading that the text begins with, unless it only names a kind."""
    found = _HEADING.match(_line(text))
    return found[1] if found and _key(found[1]) not in _KINDS else None


def first_words(text: str) -> str:
    """The first sentence, cut between words at 80 characters: a title where there is no better."""
    sentence = _EMPHASIS.sub("", _sentence(_first_line(text))).strip() or _first_line(text)
    return cut_line(sentence, TITLE_CHARS)


def _label(text: str) -> str | None:
    found = _LABEL.match(_first_line(text))
    if found is None or len(found[1].split()) > _LABEL_WORDS or _key(found[1]) in _KINDS:
        return None
    return found[1]


def _line(text: str) -> str:
    return next((line for line in text.split("\n") if line.strip()), "")


def _first_line(text: str) -> str:
    """The first line that is no heading of a kind, without list marks."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    rest = [line for line in lines if not _HEADING.match(line)] or lines
    found = rest[0] if rest else ""
    marked = _MARKS.match(found)
    return found[marked.end() :] if marked else found


def _sentence(line: str) -> str:
    ends = (end.start() for end in _SENTENCE_END.finditer(line) if not _SHORTENED.search(line, 0, end.start()))
    end = next(ends, 0)
    return line[:end] if end else line


def _key(subject: str) -> str:
    return normalised(_EMPHASIS.sub("", subject)).strip(" .,;:!?\"'()[]")
