"""Kinds of memories that questions ask for, and which standing rules a short instruction touches."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, cast

from hearth.core.lazy import regex
from hearth.text.language import fold
from hearth.text.lines import read_rows
from hearth.text.words import cues

AskedKind = Literal["", "decided", "owed", "user", "rules"]
_MOST_CHARS = 1_000


@cache
def _patterns() -> tuple[tuple[AskedKind, re.Pattern[str]], ...]:
    rows = read_rows(Path(__file__).with_name("asked_kinds.tsv"))
    return tuple((cast("AskedKind", kind), regex(pattern, re.IGNORECASE)) for kind, pattern in rows)


def split_kind(text: str) -> tuple[str, AskedKind]:
    """The text without the words that ask for a kind, and the kind; only a short text can be such a question."""
    if len(text) <= _MOST_CHARS:
        for kind, pattern in _patterns():
            rest, count = pattern.subn(_keep_subject, text)
            if count:
                return rest, kind
    return text, ""


def _keep_subject(found: re.Match[str]) -> str:
    return " ".join(("", *filter(None, found.groups()), ""))


MAX_WORDS = 24
"""Longer prompts say what they are about by themselves."""
# What somebody or something is said to be or do in passing; no rule is about that.
_ASIDE = regex(r",\s*(?:who|whom|whose|which)\b[^.,;:!?]*")


class Concern(NamedTuple):
    """What an instruction says of it, and what a rule does, as patterns."""

    name: str
    asked: str
    ruled: str


@cache
def _concerns() -> tuple[Concern, ...]:
    parts: dict[str, str] = {}
    found: list[Concern] = []
    for name, *patterns in read_rows(Path(__file__).with_name("concerns.tsv")):
        for part, text in parts.items():
            patterns = [pattern.replace(part, text) for pattern in patterns]
        if name.startswith("<"):
            parts[name] = f"(?:{patterns[0]})"
        else:
            found.append(Concern(name, *(rf"(?<!\w)(?:{pattern})(?!\w)" for pattern in patterns)))
    return tuple(found)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return regex(pattern)


def is_instruction(text: str) -> bool:
    """Whether it tells rather than asks, and is short."""
    return len(text.split()) <= MAX_WORDS and not _asks(_plain(text))


def _asks(plain: str) -> bool:
    """Whether it asks, rather than tells what to do."""
    return plain.endswith(("?", "？")) or cues("text/openings", "opening").match(plain) is not None


def find_concerns(instruction: str) -> tuple[Concern, ...]:
    """What an instruction touches; nothing where it is none."""
    if not is_instruction(instruction):
        return ()
    text = _plain(instruction)
    return tuple(concern for concern in _concerns() if _compile(concern.asked).search(text))


def rules_on(text: str, concerns: tuple[Concern, ...]) -> bool:
    """Whether a rule is about any of them."""
    plain = _ASIDE.sub(" ", _plain(text))
    return any(_compile(concern.ruled).search(plain) for concern in concerns)


def _plain(text: str) -> str:
    return " ".join(fold(word) for word in text.strip().casefold().split())
