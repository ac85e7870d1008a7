"""What a person said for the record: nothing private, nothing from programs, nobody else's words."""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.core.admission import spoken
from hearth.core.extraction import Source
from hearth.core.lazy import regex
from hearth.core.transcript import Turn
from hearth.language.voices import Voice, hear, own_words
from hearth.transcripts.typed import is_withheld, said, without_spans

# Runs that nobody sits at: a schedule's, a heartbeat's, another tool's.
_UNATTENDED = regex(
    r"\s*(?:\[cron[:\s]|\[heartbeat\]|HEARTBEAT\b|<heartbeat>|Read HEARTBEAT\.md|\[scheduled[ -]task|"
    r"\[?System\]?:\s|A scheduled reminder has been triggered|<scheduled-task)",
    re.IGNORECASE,
)


def is_errand(text: str) -> bool:
    """Whether a text by somebody else is handed over to be worked on, which says nothing of what else goes on."""
    return any(span.voice in (Voice.QUOTED, Voice.PASTED) for span in hear(without_spans(text, " ").strip()))


def is_unattended(text: str) -> bool:
    """Whether a schedule, a heartbeat or another tool wrote a prompt."""
    return _UNATTENDED.match(text) is not None


def is_mixed(text: str) -> bool:
    """Whether a prompt holds anything that is not the person's: a text by others, output, code."""
    return any(span.voice is not Voice.OWN for span in hear(said(without_spans(text, " "))))


@lru_cache(maxsize=256)
def heard(text: str) -> str:
    """The person's own words in a prompt, passages apart, for rules to read. Empty for a prompt that starts private,
    that a schedule wrote, or that asks not to be remembered. Kept for a while: several readers look at each prompt."""
    if is_unattended(text) or is_withheld(text):
        return ""
    return "\n\n".join(own_words(said(without_spans(text, " "))))


def find_words(turn: Turn, source: Source) -> tuple[str, ...]:
    """What that source said in the turn: of the person, what is in their own words."""
    texts = spoken(turn, source)
    return texts if source is not Source.PERSON else tuple(filter(None, map(heard, texts)))
