"""Words too common to say what a text is about, and phrases of which requests are made."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from hearth.core.lazy import regex
from hearth.text.lines import read_rows
from hearth.text.words import cues, rows, word_set

_TABLE = "text/common_words"


@cache
def unspaced_stop_words() -> re.Pattern[str]:
    """Finds question and function words of unspaced scripts, which are cut out before n-grams are made of a text."""
    return regex("|".join(sorted(word_set(_TABLE, "unspaced"), key=len, reverse=True)))


def idle_words() -> frozenset[str]:
    """Words that tell nothing of what a text is about, though rare in documentation: when something was, how often,
    courtesies, and what people do, feel and say everywhere. Searches look for them like for any other."""
    return word_set(_TABLE, "idle")


@cache
def stop_words() -> dict[str, frozenset[str]]:
    """Language code -> lower-case words."""
    return {row.lang: frozenset(row.words) for row in rows(_TABLE) if row.kind == "stop"}


@cache
def all_stop_words() -> frozenset[str]:
    """Those of every language."""
    return frozenset[str]().union(*stop_words().values())


def is_stop_word(word: str, languages: tuple[str, ...]) -> bool:
    """``word`` in lower case; true when any of the languages counts it as a stop word."""
    return word in _stop_words_of(languages)


@lru_cache
def _stop_words_of(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset[str]().union(*(stop_words().get(language, ()) for language in languages))


# What an unlisted word is assumed to have: rarer than any that is listed.
_UNLISTED = 0.0005


@cache
def _table() -> dict[str, float]:
    return {term: float(share) for term, share in read_rows(Path(__file__).with_name("background.tsv"))}


def background_share(term: str) -> float:
    """The share of ordinary 100-word windows that hold an index term, in [0, 1]."""
    return _table().get(term, _UNLISTED)


def is_listed(term: str) -> bool:
    """Whether ordinary English text holds the term often enough to be in the table."""
    return term in _table()


def subject(text: str) -> str:
    """The text without the phrases of its form; all of it where nothing else would be left."""
    rest = cues("text/requests", "request").sub(" ", text)
    return rest if re.search(r"\w\w", rest) else text
