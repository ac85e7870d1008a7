"""Words that say nothing of who or what is named: common ones, and those of dates."""

from __future__ import annotations

from functools import lru_cache

from hearth.extract.entities.cues import words_of
from hearth.text.background import is_listed
from hearth.text.stopwords import is_stop_word
from hearth.text.terms import terms

LANGUAGES = ("en", "es", "fr", "de", "it", "pt", "nl", "ru", "sv")


@lru_cache(maxsize=16_384)
def is_common(word: str) -> bool:
    return is_listed(word) or any(is_listed(term) for term in terms(word, "en"))


@lru_cache(maxsize=16_384)
def is_ordinary(word: str) -> bool:
    """Whether a word is a common one, or tells a date."""
    low = word.lower()
    return is_small(low) or all(is_common(part) for part in low.split("-"))


def is_small(low: str) -> bool:
    """Whether a word in lower case joins others, or tells a date."""
    return low.removesuffix("s") in words_of("date") or is_stop_word(low, LANGUAGES)


def is_capitalised(name: str) -> bool:
    """Whether a file is called as somebody or something is: each word with a capital or in a script without them, and
    not by ordinary words alone. What is called by a date, a number or in lower case is a text."""
    words = [word for word in name.split() if not is_stop_word(word.lower(), LANGUAGES)]
    capitals = all(word[0].isalpha() and word[0] == word[0].upper() for word in words)
    return bool(words) and capitals and not all(is_common(word.lower()) for word in words)
