"""Asides: what somebody adds for others to know, and says so: "by the way", "watch out", "over here"."""

from __future__ import annotations

import re

from hearth.lazy import regex

_ASIDE = regex(
    r"\b(?:by\s+the\s+way|btw|fyi|heads[\s-]up|watch\s+out|mind\s+you|over\s+here|just\s+so\s+you\s+know|for\s+the\s+record|"
    r"por\s+cierto|übrigens|au\s+fait|a\s+propósito|aliás|a\s+proposito|кстати)\b|顺便说|ちなみに",
    re.IGNORECASE,
)
# Each of them holds one of these; few sentences do.
_SIGNS = (
    "the way", "btw", "fyi", "heads", "watch out", "mind you", "over here", "you know", "the record", "por cierto",
    "übrigens", "au fait", "prop", "aliás", "кстати", "顺便说", "ちなみに",
)  # fmt: skip
# What happened, what is shown around or felt, and what is not so.
_STORY = regex(
    r"[!?！？]|\b(?:i|we|he|she|they)(?:['’]ve|['’]d|\s+(?:have|had|was|were|went|took|got|saw|met|made|did|found|just|finally|recently|\w{3,}ed))\b|"
    r"\b(?:yesterday|last\s+\w+|look|check\s+out|pics?|photos?|here['’]s|love|amazing|great|cool|nice|fun|proud|thanks|if|would|could|"
    r"should|maybe|might|think|guess|hope|wish|gestern|ayer|hier|ontem|ieri|вчера)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 5


def tells_aside(text: str) -> bool:
    """Whether a sentence adds how something is."""
    low = text.lower()
    found = _ASIDE.search(text) if any(sign in low for sign in _SIGNS) else None
    if found is None or _STORY.search(text):
        return False
    return len(f"{text[: found.start()]} {text[found.end() :]}".split()) >= _LEAST_WORDS
