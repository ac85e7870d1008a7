"""What a message asks, what it asks to forget, and whether a reply says anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.language.likeness import says_the_same
from hearth.language.slots import find_language, read_statement
from hearth.language.statements import asks_to_remember, sentences
from hearth.language.voices import split_output
from hearth.text.language import is_stop_word, subject
from hearth.text.lines import split_sentences
from hearth.text.words import cues

MAX_MESSAGE_CHARS = 20_000
"""Of a longer message the two ends are read: people ask there."""
_LEAST_WORDS = 2
_NAME_WORDS = 5
"""Up to so many words "remember" is followed by the name of something."""
_FENCE = regex(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_WORD = regex(r"[^\W_]+(?:[_'’.-][^\W_]+)*")
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TABLE = "asking"


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def telling_words(text: str) -> list[str]:
    """Its words in lower case, but for the little ones."""
    return [word for word in words_of(text.casefold()) if not is_stop_word(word, ("en",))]


def is_unspaced(text: str) -> bool:
    return _UNSPACED.search(text) is not None


@cache
def _opening() -> re.Pattern[str]:
    before, opening = (cues(_TABLE, kind).pattern for kind in ("before", "opening"))
    return regex(rf"(?:(?:{before})[\s,]+)*(?:{opening})", re.IGNORECASE)


def is_ask(sentence: str) -> bool:
    return sentence.rstrip("\"'”’)] ").endswith(("?", "？", "¿")) or _opening().match(sentence) is not None


def says_enough(sentence: str) -> bool:
    return len(telling_words(sentence)) >= _LEAST_WORDS or is_unspaced(sentence)


def stands_alone(sentence: str) -> bool:
    """Whether a question can be understood without what was said before it."""
    return says_enough(sentence) and not cues(_TABLE, "leans").search(sentence)


def split_requests(text: str) -> list[str]:
    """Its sentences, each with those after it that only say how to answer: "Mention only three items." """
    found: list[str] = []
    for sentence in split_sentences(text):
        if found and not is_ask(sentence) and subject(sentence) != sentence:
            found[-1] += f" {sentence}"
        else:
            found.append(sentence)
    return found


def shorten_message(message: str) -> str:
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
    prose = split_output(message)[0]
    if not any(map(str.isalnum, prose)):
        return message
    sentences = split_requests(prose)
    asks = [sentence for sentence in sentences if is_ask(sentence)]
    if len(sentences) < 2 or not asks or not all(map(stands_alone, asks)):
        return prose
    # A piece too short to say anything is one of a question that a full stop parted: "C. S. Lewis".
    return " ".join(sentence for sentence in sentences if sentence in asks or not says_enough(sentence))


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
    prose = _QUOTED.sub(" ", split_output(shorten_message(prompt))[0])
    return names_memory(prose) or any(map(is_asked, split_sentences(prose)))


def names_memory(text: str) -> bool:
    """Whether a sentence names what is remembered ("last time", "remember the auth bug"), other than to tell what is to
    be remembered, or not to be kept."""
    recalls = cues(_TABLE, "recalls")
    if recalls.search(text) is None:
        return False
    return any(recalls.search(sentence) and not _tells(sentence) for sentence in split_sentences(text))


def _tells(sentence: str) -> bool:
    return len(words_of(sentence)) > _NAME_WORDS and (asks_to_remember(sentence) or asks_to_withhold(sentence))


def is_asked(sentence: str) -> bool:
    """Whether a sentence is a question, by its mark or its first word."""
    begin = _BEFORE.match(sentence)
    text = _TAG.sub("", sentence[begin.end() if begin else 0 :])
    if cues(_TABLE, "request").match(text):
        return False
    return _MARK.search(text) is not None or cues(_TABLE, "asks").match(text) is not None


def misses_history(prompt: str) -> bool:
    """Whether it asks for last time, why, or what else, where a few passages seldom tell all."""
    return cues(_TABLE, "lacks").search(shorten_message(prompt)) is not None


_TRIM = " \t,;:.!?–—-。！？、"
_SAME, _ATTRIBUTE, _TOPIC = 3, 2, 1


class Wish(StrEnum):
    """``WITHHOLD``: this turn is not kept. ``FORGET``: nor is the one before it, and what was kept of it is forgotten.
    ``FORGET_FACT``: what is named is forgotten."""

    WITHHOLD = "withhold"
    FORGET = "forget"
    FORGET_FACT = "forget-fact"


class ForgetRequest(NamedTuple):
    """``fact``: what to forget, as the person put it; empty if they named nothing."""

    wish: Wish
    fact: str = ""


def asks_to_withhold(text: str) -> bool:
    """Whether a text asks that what is said here is not kept."""
    return cues("remember", Wish.WITHHOLD).search(text) is not None


def find_forget_requests(passages: Sequence[str]) -> list[ForgetRequest]:
    """Of a prompt's own passages, in order."""
    return [request for passage in passages for sentence in sentences(passage) for request in _find(sentence)]


def _find(sentence: str) -> Iterator[ForgetRequest]:
    lead = cues("guards", "lead").match(sentence)
    clause = sentence[lead.end() :].lstrip("¿¡") if lead is not None else sentence.lstrip("¿¡")
    if cues("remember", Wish.FORGET).match(clause):
        yield ForgetRequest(Wish.FORGET)
        return
    named = cues("remember", Wish.FORGET_FACT).match(clause)
    before = cues("remember", f"{Wish.FORGET_FACT}-end").search(clause) if named is None else None
    fact = clause[named.end() :] if named is not None else clause[: before.start()] if before is not None else ""
    if fact.strip(_TRIM):
        yield ForgetRequest(Wish.FORGET_FACT, fact.strip(_TRIM))


def weigh_fact(fact: str, text: str) -> int:
    """How clearly a fact names what a statement says: it says the same, it gives the same attribute and all else that
    it names stands in the statement, or all that it names stands there. 0 where it does not name it."""
    if says_the_same(fact, text):
        return _SAME
    language = find_language(fact, text)
    one, other = read_statement(fact, language), read_statement(text, language)
    if one.holders != other.holders or (one.is_negative and not other.is_negative) or not one.content <= other.content:
        return 0
    if one.attributes & other.attributes:
        return _ATTRIBUTE
    return _TOPIC if one.content and not one.attributes else 0


def states_fact(fact: str, passages: Sequence[str]) -> bool:
    """Whether some sentence states what a fact names, beyond being about it."""
    return any(weigh_fact(fact, sentence) > _TOPIC for passage in passages for sentence in sentences(passage))


# Beside "I can't say" a reply tells something from so many words on.
_MIN_REPLY_WORDS = 8
_REPLY_WORD = regex(r"[^\W\d_]+")


def only_asks(text: str) -> bool:
    """Whether all of its sentences are questions."""
    sentences = split_sentences(text)
    return bool(sentences) and all(map(is_asked, sentences))


def knows_nothing(reply: str) -> bool:
    """Whether a reply says that it can't say, and hardly anything besides."""
    unable = cues(_TABLE, "unable")
    rest = [sentence for sentence in split_sentences(reply) if not unable.search(sentence)]
    if len(rest) == len(split_sentences(reply)):
        return False
    return len(_REPLY_WORD.findall(" ".join(one for one in rest if not is_asked(one)))) < _MIN_REPLY_WORDS
