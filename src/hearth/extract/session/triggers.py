"""How soon a turn should be captured, by its words alone: corrections, decisions, promises, what is to be forgotten at
once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from hearth.extract.rules.privacy import heard
from hearth.extract.withheld import find_requests
from hearth.language.statements import Mark, find_statements
from hearth.language.words import cues
from hearth.lazy import dataclass

_MOST = 2_000
"""Characters of a prompt that are looked at."""


class Signal(IntEnum):
    """``HIGH`` is captured at once, the others with the next piece."""

    NONE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3


@dataclass(frozen=True, slots=True)
class Triggers:
    """Patterns of the person's own, compiled once; ``faults`` says of each invalid one why it is skipped."""

    patterns: tuple[re.Pattern[str], ...] = ()
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, sources: Iterable[str]) -> Triggers:
        """Regular expressions, without case."""
        patterns, faults = [], []
        for source in sources:
            try:
                patterns.append(re.compile(source, re.IGNORECASE))
            except (re.error, RecursionError, OverflowError) as error:
                faults.append(f"the pattern {source[:80]!r} is skipped: {error}")
        return cls(tuple(patterns), tuple(faults))


_NO_PATTERNS = Triggers()


def signal(text: str, triggers: Triggers = _NO_PATTERNS) -> tuple[Signal, tuple[str, ...]]:
    """The level of what a person said, and what told it: ``custom:…``, or marks of statements. Looks at no more than
    2,000 characters."""
    if wishes := tuple(dict.fromkeys(str(one.wish) for one in find_requests(text))):
        return Signal.HIGH, wishes
    said = heard(text)[:_MOST]
    if not said:
        return Signal.NONE, ()
    own = tuple(f"custom:{pattern.pattern[:80]}" for pattern in triggers.patterns if pattern.search(said))
    marks = tuple(dict.fromkeys(str(one.mark) for one in find_statements(said.split("\n\n"))))
    if cues("marks", "objection").match(said):
        marks = ("objection", *marks)
    if own or any(mark == "objection" or Mark(mark).is_explicit for mark in marks):
        return Signal.HIGH, own + marks
    return (Signal.MEDIUM if marks else Signal.NONE), marks
