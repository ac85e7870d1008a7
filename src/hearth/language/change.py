"""How a statement stands to what was so before, and what time a question is about."""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.core.lazy import regex
from hearth.language.words import cues

CHANGES = ("instead", "end", "fix", "change")
"""Kinds of cue that say that what was so is so no longer."""
OPEN = ("lean", "report")
"""Kinds of cue of what is not decided, or what somebody else says."""
ASIDE = ("suppose", "compare", "others", "talk")
"""Kinds of cue of what says nothing about how things are."""
KINDS = (*CHANGES, "now", *OPEN, *ASIDE, "past", "more", "prefer", "over", "never", "yet", "example", "will")
# What a statement goes back to stands behind it.
_CONTEXT = regex(r"\s+\(said: “[^”]*”\)\Z")
_CHOICE = regex(r"\s*Asked “(?P<question>[^”]*)”, the user chose: (?P<answer>.*)")
_FRAME = regex(
    r"[^:“”\"«»]{3,40}(?:usuario|[Nn]utzers|utilisateur|usuário|utente|user(?: said)?):\s?"
    r"[“\"«](?P<said>.+)[”\"»]\.?\s*\Z",
    re.DOTALL,
)
_QUOTED = regex(r"[“„\"«「][^“”„\"«»「」]{8,}[”“\"»」]|(?<=\s)> .*")
_CLAUSE = regex(r"[,;:.!?](?=\s|$)|[—，。；！？、]|\s[-–]\s")
_ASKS = regex(r"[?？]\s*$")


@lru_cache(maxsize=1024)
def find_cues(text: str, language: str) -> dict[str, str]:
    """Kind of cue -> the words that say so; ``asks`` where the text ends with a question."""
    said = own_words(text, asked=False)
    found = {}
    for kind in KINDS:
        match = cues("change", kind, language).search(said)
        if match is not None:
            found[kind] = match[0].strip()
    if _ASKS.search(text):
        found["asks"] = "?"
    return found


def find_clause(text: str, cue: str) -> str:
    """The clause that holds a cue, from the cue on where something follows it there."""
    before, after = split_clause(text, cue)
    return next((part for part in (after, before) if any(map(str.isalnum, part))), cue)


def split_clause(text: str, cue: str) -> tuple[str, str]:
    """What stands before and after a cue in its clause."""
    said = own_words(text)
    at = max(0, said.find(cue))
    ends = [0, *(match.end() for match in _CLAUSE.finditer(said)), len(said)]
    start = max(end for end in ends if end <= at)
    stop = min((end for end in ends if end >= at + len(cue)), default=len(said))
    return said[start:at], said[at + len(cue) : stop]


def own_words(text: str, *, asked: bool = True) -> str:
    """What a statement says itself, without what it quotes: of a choice the question, where ``asked``, and the
    answer."""
    text = _CONTEXT.sub("", text)
    chosen = _CHOICE.match(text)
    if chosen is not None:
        return f"{chosen['question']} {chosen['answer']}" if asked else chosen["answer"]
    framed = _FRAME.match(text)  # kept word by word, after who said it
    return _QUOTED.sub(" ", text) if framed is None else framed["said"]


_READ_CHARS = 2_000


def asks_now(text: str) -> bool:
    """Whether it asks for the present in so many words: "now", "currently", "these days"."""
    return cues("tense", "now").search(text[:_READ_CHARS]) is not None
