"""What a message asks, told from what is only said beside it, and what a prompt wants of memory."""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.core.lazy import regex
from hearth.language.voices import split_output
from hearth.language.words import cues
from hearth.text.common_words import is_stop_word, subject
from hearth.text.lines import split_sentences

MAX_MESSAGE_CHARS = 20_000
"""Of a longer message the two ends are read: people ask there."""
_LEAST_WORDS = 2
_FENCE = regex(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_WORD = regex(r"[^\W_]+(?:[_'’.-][^\W_]+)*")
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OPENING = regex(
    r"(?:(?:and|but|so|also|hey|hi|hello|ok|okay|well|please|by the way|btw|anyway|actually|y|oye|por cierto|und|also)"
    r"[\s,]+)*(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|would|should|will|"
    r"have|has|had|remind|tell|show|find|list|give|summari[sz]e|explain|recall|look up|search|"
    r"qué|que|quién|cuándo|dónde|cuál|cómo|por qué|recuérdame|dime|"
    r"was|wer|wann|wo|welche[rsn]?|warum|wie|erinnere|zeig|quoi|qui|quand|où|quel(?:le)?s?|pourquoi|comment)\b",
    re.IGNORECASE,
)
# A question that points back, or asks for advice: what it is about was said before.
_LEANING = regex(
    r"\b(?:this|these|those|it|its|them|they|such|(?:do|did|does|about|for|with) that|"
    r"suggest|recommend|advise|should (?:i|we)|help me|"
    r"esto|eso|ello|esos?|dazu|damit|davon|dafür|diese[rsmn]?|cela|ça|ceci)\b",
    re.IGNORECASE,
)


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def telling_words(text: str) -> list[str]:
    """Its words in lower case, but for the little ones."""
    return [word for word in words_of(text.casefold()) if not is_stop_word(word, ("en",))]


def is_unspaced(text: str) -> bool:
    return _UNSPACED.search(text) is not None


def is_ask(sentence: str) -> bool:
    return sentence.rstrip("\"'”’)] ").endswith(("?", "？", "¿")) or _OPENING.match(sentence) is not None


def says_enough(sentence: str) -> bool:
    return len(telling_words(sentence)) >= _LEAST_WORDS or is_unspaced(sentence)


def stands_alone(sentence: str) -> bool:
    """Whether a question can be understood without what was said before it."""
    return says_enough(sentence) and not _LEANING.search(sentence)


def split_requests(text: str) -> list[str]:
    """Its sentences, each with those after it that only say how to answer: "Mention only three items." """
    found: list[str] = []
    for sentence in split_sentences(text):
        if found and not is_ask(sentence) and subject(sentence) != sentence:
            found[-1] += f" {sentence}"
        else:
            found.append(sentence)
    return found


def bounded(message: str) -> str:
    """The message, or both its ends; a fence that is cut is closed, and opened again."""
    if len(message) <= MAX_MESSAGE_CHARS:
        return message
    half = (MAX_MESSAGE_CHARS - 1) // 2
    head, tail = message[:half], message[-half:]
    closed = "\n```" if _is_open(head) else ""
    opened = "```\n" if _is_open(message[:-half]) else ""
    return f"{head}{closed}\n{opened}{tail}"


def _is_open(text: str) -> bool:
    """Whether its end stands within a fence."""
    return sum(1 for _ in _FENCE.finditer(text)) % 2 > 0


def gist(message: str) -> str:
    """What is asked, without what programs print, and without what is only said where all that is asked stands alone;
    all of it where nothing would be left."""
    said = split_output(message)[0]
    if not any(map(str.isalnum, said)):
        return message
    sentences = split_requests(said)
    asks = [sentence for sentence in sentences if is_ask(sentence)]
    if len(sentences) < 2 or not asks or not all(map(stands_alone, asks)):
        return said
    # A piece too short to say anything is one of a question that a full stop parted: "C. S. Lewis".
    return " ".join(sentence for sentence in sentences if sentence in asks or not says_enough(sentence))


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
