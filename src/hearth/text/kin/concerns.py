"""Concerns: what a short instruction touches, and which standing rules are about that.

"Install lodash" and "always use pnpm" share no word; both are about packages. Each concern has what an instruction says
of it and what a rule says of it, in the languages that agents are told things in. An instruction with no concern of
these is nobody's business here: its own words find what they find.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hearth.lazy import regex
from hearth.text.stem import fold
from hearth.text.tables import read_rows

MAX_WORDS = 24
"""Longer prompts say what they are about by themselves."""
# What asks, rather than tells what to do.
_QUESTION = regex(
    r"(?:what|why|how|who|which|where|when|is|are|was|were|do|does|did|has|have|should|que|por\s+que|como|quien|cual|donde|"
    r"cuando|was|warum|wie|wer|wo|wann|welche\w*|quoi|pourquoi|comment|qui|quand|cosa|perche|chi|dove|quando|wat|waarom|hoe|wie|"
    r"explain|explica\w*|erklare?|explique\w*|spiega\w*|leg)\b|.*[?？]\s*\Z",
    re.DOTALL,
)


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
    return re.compile(pattern)


def is_instruction(text: str) -> bool:
    """Whether it tells rather than asks, and is short."""
    return len(text.split()) <= MAX_WORDS and not _QUESTION.match(_plain(text))


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
