"""Whether a turn of a conversation tells anything: what a person asks does not, nor a reply that it can't say."""

from __future__ import annotations

from hearth.core.lazy import regex
from hearth.language.asking import is_asked
from hearth.language.words import cues
from hearth.text.lines import split_sentences

_TABLE = "asking"
# Beside "I can't say" a reply tells something from so many words on.
_LEAST_WORDS = 8
_WORD = regex(r"[^\W\d_]+")


def only_asks(said: str) -> bool:
    """Whether all of its sentences are questions."""
    sentences = split_sentences(said)
    return bool(sentences) and all(map(is_asked, sentences))


def knows_nothing(reply: str) -> bool:
    """Whether a reply says that it can't say, and hardly anything besides."""
    unable = cues(_TABLE, "unable")
    rest = [sentence for sentence in split_sentences(reply) if not unable.search(sentence)]
    if len(rest) == len(split_sentences(reply)):
        return False
    return len(_WORD.findall(" ".join(one for one in rest if not is_asked(one)))) < _LEAST_WORDS
