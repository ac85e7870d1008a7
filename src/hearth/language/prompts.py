"""What a prompt wants of memory: whether it asks, instructs, or only chats, told by how its sentences begin and end."""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.language.asking import bounded
from hearth.language.voices import split_output
from hearth.language.words import cues
from hearth.lazy import regex
from hearth.text.sentences import split_sentences

_TABLE = "asking"
# What may stand before a question without being part of it.
_BEFORE = regex(
    r"(?:[\s>*•–—¿¡,;:.\-]|\d{1,2}[.)]\s|(?:and|but|so|also|hey|hi|hello|ok|okay|well|please|by\s+the\s+way|btw|"
    r"anyway|actually|then|now|y|oye|por\s+cierto|und|also|et|alors|e|allora)\b[\s,:]*)*",
    re.IGNORECASE,
)
_MARK = regex(r"[?？؟][\"'”’)\]*_ ]*$")
_QUOTED = regex(r"`[^`]*`|\w+://\S+|\"[^\"\n]*\"|“[^”\n]*”")
# A word or two after a comma that only ask for a nod: "run the tests, ok?"
_TAG = regex(r",\s*[^\s,]+(?:\s[^\s,]+)?\s*[?？]\s*$")


@lru_cache(maxsize=64)
def asks_memory(prompt: str) -> bool:
    """Whether it asks a question, or names what is remembered; a request in the form of a question ("can you fix
    it?") does neither, and nor does what is pasted."""
    said = _QUOTED.sub(" ", split_output(bounded(prompt))[0])
    return cues(_TABLE, "recalls").search(said) is not None or any(map(is_asked, split_sentences(said)))


def is_asked(sentence: str) -> bool:
    """Whether a sentence is a question, by its mark or its first word."""
    begin = _BEFORE.match(sentence)
    text = _TAG.sub("", sentence[begin.end() if begin else 0 :])
    if cues(_TABLE, "request").match(text):
        return False
    return _MARK.search(text) is not None or cues(_TABLE, "asks").match(text) is not None


def misses_history(prompt: str) -> bool:
    """Whether it asks for last time, why, or what else, where a few passages seldom tell all."""
    return cues(_TABLE, "lacks").search(bounded(prompt)) is not None
