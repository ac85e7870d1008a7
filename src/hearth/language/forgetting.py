"""What a person asks their memory to leave out or to forget: this turn, what was just said, or one thing by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from hearth.language.likeness import says_the_same
from hearth.language.slots import find_language, read_statement
from hearth.language.statements import sentences
from hearth.language.words import cues

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
    said = sentence[lead.end() :].lstrip("¿¡") if lead is not None else sentence.lstrip("¿¡")
    if cues("remember", Wish.FORGET).match(said):
        yield ForgetRequest(Wish.FORGET)
        return
    named = cues("remember", Wish.FORGET_FACT).match(said)
    before = cues("remember", f"{Wish.FORGET_FACT}-end").search(said) if named is None else None
    fact = said[named.end() :] if named is not None else said[: before.start()] if before is not None else ""
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
