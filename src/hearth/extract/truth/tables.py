"""The tables beside this file, by language and compiled: cues, values, attributes, opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hearth.lazy import regex
from hearth.text.stem import stem
from hearth.text.tables import read_rows

UNSPACED = frozenset({"zh", "ja"})
"""Languages without blanks between words."""
_EVERY = "*"
# Months that are also other words count only beside a day.
_AMBIGUOUS = frozenset(
    [
        "may",
        "mar",
        "mai",
        "mars",
        "jan",
        "dec",
        "dic",
        "ago",
        "jun",
        "jul",
        "apr",
        "feb",
        "okt",
        "dez",
        "sep",
        "oct",
        "nov",
        "sept",
        "märz",
    ]
)
# What is no word in a pattern: the place of a value, and letters after a backslash.
_VALUE = regex(r"\(\?P<v>\[[^\]]*\]\{[^}]*\}\??")
_PLAIN = regex(r"(?<![\\\w])[^\W\d_]{3,}")
Key = tuple[str, str]
"""Of a token: its class, empty for a word, and its form for comparing."""


class Wording(NamedTuple):
    """How a language tells the value of an attribute."""

    attribute: str
    pattern: re.Pattern[str]


@cache
def cues(kind: str, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_compile(text, language) for text in _cue_rows().get((kind, language), ()))


@cache
def words(kind: str, language: str) -> frozenset[str]:
    """Of a kind of cue that lists words."""
    rows = [*_cue_rows().get((kind, language), ()), *_cue_rows().get((kind, _EVERY), ())]
    return frozenset(word.casefold() for row in rows for word in re.split(r"[|\s]", row))


@cache
def wordings(language: str) -> tuple[Wording, ...]:
    """By verbs, then by nouns, which stand before what they are of, or behind it."""
    found = [Wording(name, _compile(text, language)) for name, text in _attribute_rows("verb", language)]
    return (*found, *_noun_wordings(language))


@cache
def nouns(language: str) -> dict[str, str]:
    """Word, as written and as stem -> attribute."""
    found: dict[str, str] = {}
    for name, text in _attribute_rows("noun", language):
        for word in text.split("|"):
            found[word] = found[stem(word, language)] = name
    return found


@cache
def tellings(attribute: str, language: str) -> frozenset[str]:
    """Words that statements of an attribute hold."""
    rows = [text for kind in ("verb", "noun") for name, text in _attribute_rows(kind, language) if name == attribute]
    return frozenset(word.casefold() for text in rows for word in _PLAIN.findall(_VALUE.sub(" ", text)))


@cache
def values() -> dict[str, Key]:
    """Spelling -> its class and form."""
    found: dict[str, Key] = {}
    for name, form, spellings in _rows("values.tsv"):
        for spelling in spellings.split("|"):
            if name != "month" or spelling not in _AMBIGUOUS:
                found.setdefault(spelling, (name, form))
    return found


@cache
def months() -> dict[str, str]:
    """Spelling -> two digits."""
    return {word: form for name, form, row in _rows("values.tsv") if name == "month" for word in row.split("|")}


@cache
def known(language: str) -> frozenset[str]:
    """Words by which a language is told from others, as they are written."""
    listed = (words(kind, language) for kind in ("void", "not", "half"))
    return frozenset().union(*listed, *(text.split("|") for _, text in _attribute_rows("noun", language)))


@cache
def alike(language: str) -> dict[str, str]:
    """Word and stem -> the form that stands for all of one meaning."""
    found: dict[str, str] = {}
    for [row] in _rows("alike.tsv"):
        first, *others = row.split("|")
        for word in (first, *others):
            found.setdefault(word, first)
            found.setdefault(stem(word, language), first)
    return found


@cache
def opposites(language: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Word and stem -> its pairs, each with its side."""
    found: dict[str, set[tuple[int, int]]] = {}
    for number, sides in enumerate(_rows("opposites.tsv")):
        for side, row in enumerate(sides):
            for word in row.split("|"):
                form = alike(language).get(word, word)
                for spelling in (word, form, stem(word, language)):
                    found.setdefault(spelling, set()).add((number, side))
    return {word: tuple(sorted(pairs)) for word, pairs in found.items()}


@cache
def regions() -> frozenset[str]:
    return frozenset(name for [row] in _rows("places.tsv") for name in row.split("|"))


def _noun_wordings(language: str) -> Iterator[Wording]:
    copulas = "|".join(_cue_rows().get(("is", language), ()))
    if not copulas:
        return
    for name, text in _attribute_rows("noun", language):
        listed = "|".join(re.escape(word) for word in sorted(text.split("|"), key=len, reverse=True))
        if language in UNSPACED:
            yield Wording(name, _compile(f"(?P<noun>{listed})(?P<of>){copulas}", language))
        else:
            pattern = rf"(?P<noun>{listed})\b(?P<of>[^,;.:]{{0,60}}?) (?:{copulas})(?=\s)"
            yield Wording(name, _compile(pattern, language))


@cache
def _match_count() -> str:
    """What begins a count."""
    numbers = "|".join(word for word, (name, _) in values().items() if name == "number")
    return rf"(?=\d|(?:{numbers})(?!\w)|[一二两三四五六七八九十百千万])"


def _compile(text: str, language: str) -> re.Pattern[str]:
    bounded = language not in UNSPACED and not text.startswith((",", "[", ";"))
    text = text.replace("#", _match_count()).replace("~", r"\w*").replace(" ?", r"\s?").replace(" ", r"\s+")
    return re.compile(rf"(?<!\w)(?:{text})" if bounded else text, re.IGNORECASE)


@cache
def _cue_rows() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for kind, language, pattern in _rows("cues.tsv"):
        found.setdefault((kind, language), []).append(_whole(kind, pattern))
    return found


def _whole(kind: str, pattern: str) -> str:
    """Alternatives of words end where a word does."""
    return f"(?:{pattern})" if kind in ("now", "end", "maybe", "talk", "past", "if", "why") else pattern


@cache
def _attribute_rows(kind: str, language: str) -> tuple[tuple[str, str], ...]:
    return tuple((row[1], row[3]) for row in _rows("attributes.tsv") if row[0] == kind and row[2] == language)


@cache
def _rows(name: str) -> tuple[list[str], ...]:
    return tuple(read_rows(Path(__file__).with_name(name)))
