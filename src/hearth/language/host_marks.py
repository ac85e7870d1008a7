"""What clients put into a person's prompt: marks of what was attached, names of skills, their own commands."""

from __future__ import annotations

import re
from functools import cache

from hearth.language import words
from hearth.lazy import regex

_GAP = regex(r"[ \t]{2,}")
_BEFORE_STOP = regex(r"[ \t]+(?=[.,;:!?](?:\s|$))")
_AROUND_LINES = regex(r"[ \t]*\n[ \t]*")
# One of these stands in whatever holds a mark.
_TELLING = ("[", "$", "<")


def without_host_marks(text: str) -> str:
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
    return re.compile(rf"\A(?:(?:{_compile('opening').pattern})\s+)+")  # $HOME is none


@cache
def _commands() -> re.Pattern[str]:
    return _compile("command")


def _compile(kind: str) -> re.Pattern[str]:
    # Not as whole words: people type on right behind a mark.
    patterns = (row.pattern.replace(" ", r"\s+") for row in words.rows("host_marks") if row.kind == kind)
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
