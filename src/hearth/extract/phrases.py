"""Which wording two texts share that they hardly share by chance.

A gram is two content words that follow each other once stop words are out, or some characters in a row of a script
without spaces. What a gram says is the sum of its words' information, -ln of their share in ordinary text.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from hearth.lazy import regex
from hearth.text.background import background_share
from hearth.text.budget import estimate_tokens as estimate
from hearth.text.stem import stem
from hearth.text.stopwords import UNSPACED_STOP, all_stop_words

Gram = tuple[str, ...]

# Scripts written without spaces; hangul has spaces.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_RUN = regex(f"[{UNSPACED}]+")
_WORD = regex(f"[^\\W_{UNSPACED}]+")
_CUT = regex("|".join(sorted(UNSPACED_STOP, key=len, reverse=True)))
# Fitted on answers of 10 to 4,000 words against passages that they used and others.
_LEAST, _PER_DOUBLING, _FURTHER = 12.0, 1.5, 0.25
_RUN_CHARS, _CHARS_PER_DOUBLING = 5, 0.6
_TELLING = 5.0  # nats: in less than one of 150 windows of 100 words
_SHORT = 225  # tokens
_RAREST, _PER_LETTER = 6.5, 0.65
# What assistants say in every answer, and people in every chat: the table knows manuals, not manners.
_MANNERS = """
absolutely already amazing appreciate ask awesome bit certainly chat course definitely excited exciting feel
free glad good got great guys happy haven hear hello help hey hi hope keep kind know let like look lot love
lovely luck make matter maybe much nice ok okay one others people pleasure pretty question really say see sorry
sounds step sure talk tell thank thanks thing think thought time tip today tomorrow toward way week weekend
welcome well wonderful worry wow yeah year yes yesterday buenas bueno claro gracias hola bien danke gut hallo
merci bonjour
"""
_MANNER_WEIGHT = 2.0
# Blocks of Unicode that hold the combining marks of living scripts.
_MARKS = tuple(range(0x300, 0x1CFF)), tuple(range(0x1DC0, 0x2100)), tuple(range(0xA66F, 0xAC00))


def grams(text: str, language: str, chars: int) -> set[Gram]:
    """The distinct pairs of content words, and runs of ``chars`` characters of scripts without spaces."""
    plain = normal(text)
    every: set[Gram] = set(pairwise(_content_words(plain, language)))
    if not plain.isascii():
        every.update((run,) for run in _char_grams(plain, chars))
    return every


def demand(answer: str) -> tuple[float, int]:
    """What a phrase must score in an answer of this length, and how many characters it needs in a script without
    spaces: chance alone shares rarer wording the longer an answer is."""
    doublings = max(0.0, math.log2(max(1, estimate(answer)) / _SHORT))
    return _LEAST + _PER_DOUBLING * doublings, round(_RUN_CHARS + _CHARS_PER_DOUBLING * doublings)


def distinctive(own: Iterable[Gram], least: float, language: str) -> Gram | None:
    """The best of the grams that an answer shares with one item alone, if together they say enough.

    A score is the information of the best pair, and a quarter of the second's and of three words' in a row. A pair of
    common words counts for nothing by itself.
    """
    grams = sorted(own)
    runs = [gram for gram in grams if len(gram) == 1]
    if runs or not grams:
        return runs[0] if runs else None
    said = {word: information(word, language) for gram in grams for word in gram}
    told = {gram: sum(said[word] for word in set(gram)) for gram in grams}
    telling = (gram for gram in grams if max(said[word] for word in gram) >= _TELLING)
    ranked = sorted(telling, key=told.__getitem__, reverse=True)
    if not ranked:
        return None
    second = told[ranked[1]] if len(ranked) > 1 else 0.0
    after: dict[str, float] = {}
    for first, last in grams:
        after[first] = max(after.get(first, 0.0), said[last])
    chained = max((told[gram] + after[gram[1]] for gram in grams if gram[1] in after), default=0.0)
    return ranked[0] if told[ranked[0]] + _FURTHER * (second + chained) >= least else None


def information(word: str, language: str) -> float:
    """Of a stem, in nats: little for a number, most for a word that the table of ordinary text does not hold. There is
    a table for English alone; elsewhere long words count as rarer."""
    if word.isdecimal():
        return min(5.0, 1.0 + len(word))
    if word in _manners():
        return _MANNER_WEIGHT
    if language == "en":
        return -math.log(background_share(word))
    return min(_RAREST, 1.0 + _PER_LETTER * len(word))


def normal(text: str) -> str:
    """NFKC, folded case, without combining marks: forms in which the same wording is the same text."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded.translate(_no_marks())


def content(text: str, language: str) -> list[str]:
    """The stems of a text's content words in order, then its runs of unspaced scripts."""
    plain = normal(text)
    return _content_words(plain, language) + _RUN.findall(plain)


def _content_words(plain: str, language: str) -> list[str]:
    return [word for word in (_content(match, language) for match in _WORD.findall(plain)) if word]


def _char_grams(plain: str, chars: int) -> Iterator[str]:
    for run in _RUN.findall(plain):
        for part in _CUT.split(run):
            for start in range(len(part) - chars + 1):
                yield part[start : start + chars]


@lru_cache(maxsize=50_000)
def _content(word: str, language: str) -> str:
    """The stem of a word that says something; "" for stop words and single letters."""
    if word in _stops() or (len(word) < 2 and not word.isdecimal()):
        return ""
    return stem(word, language)


@cache
def _stops() -> frozenset[str]:
    """Of all languages, in the form that texts are compared in."""
    return frozenset(map(normal, all_stop_words()))


@cache
def _manners() -> frozenset[str]:
    words = _MANNERS.split()
    return frozenset(words) | {stem(word, "en") for word in words}


@cache
def _no_marks() -> dict[int, None]:
    return {point: None for points in _MARKS for point in points if unicodedata.category(chr(point))[0] == "M"}
