"""The tables beside this file, by language and compiled: cues and values."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

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
Key = tuple[str, str]
"""Of a token: its class, empty for a word, and its form for comparing."""


@cache
def cues(kind: str, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_compile(text, language) for text in _cue_rows().get((kind, language), ()))


@cache
def words(kind: str, language: str) -> frozenset[str]:
    """Of a kind of cue that lists words."""
    rows = [*_cue_rows().get((kind, language), ()), *_cue_rows().get((kind, _EVERY), ())]
    return frozenset(word.casefold() for row in rows for word in re.split(r"[|\s]", row))


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
def _compile(text: str, language: str) -> re.Pattern[str]:
    bounded = language not in UNSPACED and not text.startswith((",", "[", ";"))
    text = text.replace("~", r"\w*").replace(" ?", r"\s?").replace(" ", r"\s+")
    return re.compile(rf"(?<!\w)(?:{text})" if bounded else text, re.IGNORECASE)


@cache
def _cue_rows() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for kind, language, pattern in _rows("cues.tsv"):
        found.setdefault((kind, language), []).append(_whole(kind, pattern))
    return found


def _whole(kind: str, pattern: str) -> str:
    """Alternatives of words end where a word does."""
    return f"(?:{pattern})" if kind == "now" else pattern


@cache
def _rows(name: str) -> tuple[list[str], ...]:
    return tuple(read_rows(Path(__file__).with_name(name)))
