"""A rule: words that call for it, the phrase that it looks for, and which days that names.

A rule runs only if the text holds one of its trigger words, and is compiled when it first does. Patterns see
lower-case text of unchanged length and repeat nothing without a bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache

from hearth.lazy import dataclass
from hearth.text.times.calendar import Found

Reader = Callable[[re.Match[str], datetime], Found]


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """``read`` raises ``ValueError`` or ``OverflowError`` for a date that there is not."""

    triggers: frozenset[str]
    phrase: str
    read: Reader

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compile(self.phrase)


def make_rule(triggers: str, phrase: str, read: Reader) -> PhraseRule:
    """``triggers`` are words, apart by spaces; ``phrase`` is a pattern for whole words."""
    return PhraseRule(frozenset(triggers.split()), rf"(?<!\w)(?:{phrase})(?!\w)", read)


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


@cache
def _compile(phrase: str) -> re.Pattern[str]:
    return re.compile(phrase)
