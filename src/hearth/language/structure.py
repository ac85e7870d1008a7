"""What a line is: prose that somebody typed, or machine output; and what clients put into a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache

from hearth.core.lazy import regex
from hearth.text import words
from hearth.text.words import cues, forms

_GAP = regex(r"[ \t]{2,}")
_BEFORE_STOP = regex(r"[ \t]+(?=[.,;:!?](?:\s|$))")
_AROUND_LINES = regex(r"[ \t]*\n[ \t]*")
# One of these stands in whatever holds a mark.
_TELLING = ("[", "$", "<")


def strip_host_marks(text: str) -> str:
    """The text as the person meant it, without marks such as ``[Image #1]``, ``[Pasted text #2 +30 lines]`` and a skill
    (``$name``) that opens it."""
    if not any(sign in text for sign in _TELLING):
        return text
    found = _marks().sub("", text)
    found = _openings().sub("", found.lstrip()) if found.lstrip().startswith("$") else found
    if found == text:
        return text
    return _AROUND_LINES.sub("\n", _BEFORE_STOP.sub("", _GAP.sub(" ", found))).strip()


def is_own_command(name: str) -> bool:
    """Whether a command with its slash is the client's own: what is typed after it are settings, no words."""
    return _commands().fullmatch(name.strip()) is not None


@cache
def _marks() -> re.Pattern[str]:
    return _compile("mark")


@cache
def _openings() -> re.Pattern[str]:
    """Several skills may open a prompt."""
    return regex(rf"\A(?:(?:{_compile('opening').pattern})\s+)+")  # $HOME is none


@cache
def _commands() -> re.Pattern[str]:
    return _compile("command")


def _compile(kind: str) -> re.Pattern[str]:
    # Not as whole words: people type on right behind a mark.
    patterns = (row.pattern.replace(" ", r"\s+") for row in words.rows("host_marks") if row.kind == kind)
    return regex("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


SHORT_LINE = 200
SENTENCE = regex(r"(?<=[.!?…。！？])[\"'”’)\]]*(?:\s+|(?<=[。！？])(?=\S))")
"""Where a sentence ends within a line."""
ASKS = regex(r"[?？]\s*$")
_STOPS = regex(r"[.!?。！？]\s*$")
_COLON = regex(r"[:：]\s*$")
_LONGEST = 2_000
_LEAST_SIGNS = 12
_LETTERS = 0.62
"""The share of letters and spaces under which a line is no prose."""
_FAREWELL_CHARS = 60
_HEAD_CHARS = 90
_FEW_CHARS = 40
_LEAST_TYPED = 5
"""Words of a line without a capital that is taken for a sentence."""
_TYPED = 0.6
"""The share of lines that somebody typed in what is typed."""
_BULLETS = "-*•0123456789.) \t"
_NAMED = regex(
    r"`|(?<!\S)@\w|(?<![\w/:])[\w.-]+/[\w./-]+|\b[a-z]+[A-Z]\w+|\w_\w|\w\(\)|"
    r"\b\w+\.(?:md|py|[jt]sx?|html|css|json|ya?ml|go|rs)\b"
)
"""A name out of a program: a path, a file, an identifier."""
_SALUTATION = regex(r"[^\W\d_][^.?;:,!]{2,30}[,!:]")
_SENTENCE_FIRST = regex(r"\s*[^\W\d_][^{}\[\]()=<>`;|]*[.?!。？！]\s*(?:\{\s*[\"']|\[\s*[\[{\"'])")
"""A sentence with data behind it."""
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


@lru_cache(maxsize=1024)
def form_of(line: str) -> Form:
    """Of one line without its line break."""
    line = line[:_LONGEST]
    if (forms("forms", "machine").match(line) or _is_mostly_signs(line)) and not _SENTENCE_FIRST.match(line):
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


def asks_about_text(line: str) -> bool:
    """Whether a line asks for something to be done with a text."""
    return cues("texts", "task").search(line) is not None


def is_head(rows: Sequence[str]) -> bool:
    """Whether lines only open a document: they are short, no sentences, and not all of a program's output."""
    output = len(rows) > 1 and all(form_of(row) is Form.MACHINE for row in rows)
    return not output and all(len(row) <= _HEAD_CHARS and not _STOPS.search(row) for row in rows)


def is_one_sentence(line: str) -> bool:
    return sum(bool(part.strip()) for part in SENTENCE.split(line)) == 1


def greets(line: str) -> bool:
    if form_of(line) is Form.LETTER:
        return True
    return _SALUTATION.fullmatch(line.strip()) is not None and not (asks_about_text(line) or points(line))


def points_at_text(line: str) -> bool:
    """Whether a line asks something about a text, points at one, or leads up to one."""
    return is_request(line) or (len(line) <= SHORT_LINE and points(line))


def points(line: str) -> bool:
    """Whether a line points at something that stands beside it."""
    return any(cues("texts", kind).search(line) for kind in ("points", "hands"))


def hands_over(line: str) -> bool:
    """Whether a line hands over a text: it asks for work on one, says that one is here, or asks something and points.
    What only asks, or only points, speaks of anything."""
    if len(line) > SHORT_LINE:
        return False
    if asks_about_text(line) or cues("texts", "hands").search(line):
        return True
    return cues("texts", "points").search(line) is not None and _is_ask(line)


def _is_ask(line: str) -> bool:
    if ASKS.search(line) or _COLON.search(line):
        return True
    return any(cues("guards", "request").match(part.lstrip(_BULLETS)) for part in SENTENCE.split(line))


def is_short_question(line: str) -> bool:
    """Whether a question is too short to say what it is about."""
    return len(line.strip()) <= _FEW_CHARS and ASKS.search(line) is not None


def rank_request(line: str) -> tuple[bool, bool, bool]:
    """How surely a line is the request, where the first and the last may be it."""
    return is_one_sentence(line), points(line), asks_about_text(line)


def are_typed(rows: Sequence[str]) -> bool:
    """Whether most lines are typed, or name parts of a program, as briefs do."""
    typed = sum(row.lstrip(_BULLETS)[:1].islower() or _NAMED.search(row) is not None or addresses(row) for row in rows)
    return typed >= _TYPED * len(rows)


def is_typed(line: str) -> bool:
    """Whether a line speaks to the agent, or names parts of a program."""
    return addresses(line) or _NAMED.search(line) is not None


def is_typed_line(line: str) -> bool:
    """Whether a line by itself looks typed: it speaks to the agent, or is a sentence without a capital."""
    return addresses(line) or (line.strip()[:1].islower() and len(line.split()) >= _LEAST_TYPED)


def addresses(line: str) -> bool:
    """Whether a line speaks to the agent, or of the person who types."""
    content = line.lstrip(_BULLETS)
    return cues("texts", "typed").search(content) is not None or cues("guards", "request").match(content) is not None


def is_request(line: str) -> bool:
    if ASKS.search(line) or _COLON.search(line):
        return True
    return len(line) <= SHORT_LINE and asks_about_text(line)
