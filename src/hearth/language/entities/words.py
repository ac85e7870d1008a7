"""Words that tell what a name names, or that name nobody, and who speaks in a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from hearth.core.lazy import regex
from hearth.text.common_words import is_listed, is_stop_word
from hearth.text.lines import read_rows
from hearth.text.terms import terms


@cache
def read_cues() -> Mapping[tuple[str, str], frozenset[str]]:
    """(type, where the cue stands) -> words in lower case."""
    rows = read_rows(Path(__file__).with_name("cues.tsv"))
    return {(kind, where): frozenset(words.split()) for kind, where, words in rows}


@lru_cache
def words_of(where: str) -> frozenset[str]:
    """The cues of all types in one place."""
    return frozenset[str]().union(*(words for (_, place), words in read_cues().items() if place == where))


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


_LINE = regex(r"(?:\*\*|__)?([^\W\d_][^\s:*_]*(?: [^\W\d_][^\s:*_]*){0,2})(?:\*\*:|:\*\*|__:|:__|:)\s+\S")
_TWICE = 2


def find_speakers(texts: Iterable[str], language: str) -> list[list[str]]:
    """Those of each text, once. A label in one language may look like a name in another (``Hinweis:``), so that beside
    English two must speak."""
    said = [[name for name in map(_speaker_of, text.split("\n")) if name is not None] for text in texts]
    counts = Counter(name for names in said for name in names)
    speakers = {name for name, count in counts.items() if count >= _TWICE}
    if language != "en" and len(speakers) < _TWICE:
        return [[] for _ in said]
    return [[name for name in dict.fromkeys(names) if name in speakers] for names in said]


def _speaker_of(line: str) -> str | None:
    found = _LINE.match(line)
    if found is None or not all(word[0].isupper() or not word[0].islower() for word in found[1].split()):
        return None
    cues = read_cues()
    given = found[1].split()[0].lower() in cues["person", "first"] | cues["person", "either"]
    return found[1] if given or not all(map(is_ordinary, found[1].split())) else None
