"""How soon a turn should be captured, by its words alone: corrections, decisions and promises at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from hearth.extract.rules.privacy import heard
from hearth.extract.rules.sentences.cues import cues, language_of
from hearth.extract.standing import is_standing
from hearth.lazy import dataclass, regex

_MOST = 2_000
"""Characters of a prompt that are looked at."""
_HIGH = frozenset({"decide", "promise", "correct", "adopt"})
_MEDIUM = frozenset({"prefer", "self", "have", "confirm", "will"})
_MARKED = regex(
    r"\b(?:important|remember\s+(?:this|that)|for\s+the\s+record|fyi|note\s+that|importante|recuerda\s+que|wichtig|merk\s+dir|"
    r"important|retiens|lembre|ricorda|важно|запомни)\b|记住|重要|覚えて",
    re.IGNORECASE,
)


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
    """The level of what a person said, and what told it: ``custom:…``, or names of cues. One pass over at most 2,000
    characters."""
    said = heard(text)[:_MOST]
    if not said:
        return Signal.NONE, ()
    own = tuple(f"custom:{pattern.pattern[:80]}" for pattern in triggers.patterns if pattern.search(said))
    held = cues(said[:_MOST], language_of(said))
    high = tuple(sorted(_HIGH & held))
    if own or high or _MARKED.search(said) or is_standing(said):
        return Signal.HIGH, own + high or ("marked",)
    medium = tuple(sorted(_MEDIUM & held))
    level = Signal.MEDIUM if len(medium) > 1 else Signal.LOW
    return (level if medium else Signal.NONE), medium
