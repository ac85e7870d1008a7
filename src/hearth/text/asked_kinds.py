"""Kinds of memories that questions ask for, and which standing rules a short instruction touches."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

from hearth.core.lazy import regex
from hearth.text.language import fold
from hearth.text.words import cues, each, rows

AskedKind = Literal["", "decided", "owed", "user", "rules"]
_MOST_CHARS = 1_000
_CONCERNS = "text/concerns"


def split_kind(text: str) -> tuple[str, AskedKind]:
    """The text without the words that ask for a kind, and the kind; only a short text can be such a question."""
    if len(text) <= _MOST_CHARS:
        for kind in get_args(AskedKind):
            for pattern in each("text/asked_kinds", kind):
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


@cache
def _concerns() -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.kind.partition(":")[0] for row in rows(_CONCERNS)))


def is_instruction(text: str) -> bool:
    """Whether it tells rather than asks, and is short."""
    return len(text.split()) <= MAX_WORDS and not _asks(_plain(text))


def _asks(plain: str) -> bool:
    """Whether it asks, rather than tells what to do."""
    return plain.endswith(("?", "？")) or cues("text/openings", "opening").match(plain) is not None


def find_concerns(instruction: str) -> tuple[str, ...]:
    """The names of what an instruction touches; nothing where it is none."""
    if not is_instruction(instruction):
        return ()
    text = _plain(instruction)
    return tuple(name for name in _concerns() if cues(_CONCERNS, f"{name}: asked").search(text))


def rules_on(text: str, concerns: tuple[str, ...]) -> bool:
    """Whether a rule is about any of them."""
    plain = _ASIDE.sub(" ", _plain(text))
    return any(cues(_CONCERNS, f"{name}: ruled").search(plain) for name in concerns)


def _plain(text: str) -> str:
    return " ".join(fold(word) for word in text.strip().casefold().split())
