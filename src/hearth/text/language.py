"""Which language a text is in, stemming per language by the Snowball algorithms, words too common to say what a text
is about, and phrases of which requests are made."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

import Stemmer

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


_SAMPLE_CHARS = 2_000
# Below this share of stop words a Latin text is more likely a list of names or code than prose in that language.
_MIN_STOP_SHARE = 0.06
_WORD = regex(r"[^\W\d_]+")
# A language is sure where it has so many stop words, and half more than any other, or so large a share of all words.
_SURE_VOTES, _SURE_LEAD, _SURE_SHARE = 4, 1.5, 0.2
# All of ASCII but letters as spaces: splitting takes a fraction of the pattern's time.
_ASCII_REST = {point: " " for point in range(128) if not chr(point).isalpha()}

# One letter range tells the language where a script serves (mostly) one. Ordered: kana before Han, since
# Japanese mixes both.
_SCRIPTS = (
    ("ja", regex(r"[\u3040-\u30ff]")),
    ("ko", regex(r"[\uac00-\ud7af]")),
    ("zh", regex(r"[\u4e00-\u9fff]")),
    ("th", regex(r"[\u0e00-\u0e7f]")),
    ("ru", regex(r"[\u0400-\u04ff]")),
    ("el", regex(r"[\u0370-\u03ff]")),
    ("ar", regex(r"[\u0600-\u06ff]")),
    ("hi", regex(r"[\u0900-\u097f]")),
)


def detect(text: str, default: str = "en") -> str:
    """An ISO 639-1 code; ``default`` where the text gives no evidence (names, code, a few words)."""
    sample = text[:_SAMPLE_CHARS]
    if (language := _by_script(sample)) is not None:
        return language
    words, votes = _count_votes(sample)
    language, count = _find_winner(votes, default)
    return language if count >= max(2, _MIN_STOP_SHARE * words) else default


def detect_surely(text: str) -> str | None:
    """The language of a text that says enough to tell it; ``None`` for a stub."""
    sample = text[:_SAMPLE_CHARS]
    if (language := _by_script(sample)) is not None:
        return language
    words, votes = _count_votes(sample)
    language, count = _find_winner(votes, "en")
    rival = max((votes[other] for other in votes if other != language), default=0)
    is_sure = count >= max(_SURE_VOTES, _MIN_STOP_SHARE * words, _SURE_LEAD * rival)
    return language if is_sure or count >= max(2, _SURE_SHARE * words) else None


def _find_winner(votes: Counter[str], default: str) -> tuple[str, int]:
    return max(
        votes.items(),
        key=lambda item: (item[1], item[0] == default, item[0] == "en", item[0]),
        default=(default, 0),
    )


def _by_script(sample: str) -> str | None:
    if sample.isascii():
        return None
    for language, letters in _SCRIPTS:
        found = len(letters.findall(sample))
        # CJK says more per character than an alphabet does, so a fifth of the letters decides.
        if found and found * 5 > len(_WORD.sub("", sample)) and found * 5 > sum(map(len, _WORD.findall(sample))):
            return language
    return None


def _count_votes(sample: str) -> tuple[int, Counter[str]]:
    """How many words there are, and how many stop words of each language. Addresses and paths are not spoken."""
    if "/" in sample:
        sample = " ".join([part for part in sample.split() if "/" not in part])
    words, speakers = _words(sample.lower()), _speakers()
    return len(words), Counter(chain.from_iterable([speakers[word] for word in words if word in speakers]))


def _words(text: str) -> list[str]:
    return text.translate(_ASCII_REST).split() if text.isascii() else _WORD.findall(text)


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """Stop word -> the languages that have it."""
    found: dict[str, list[str]] = {}
    for language, words in stop_words().items():
        for word in words:
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


_ALGORITHMS = {
    "en": "english", "es": "spanish", "fr": "french", "de": "german", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "ru": "russian", "sv": "swedish", "el": "greek", "ar": "arabic", "hi": "hindi",
}  # fmt: skip


class _Local(threading.local):
    def __init__(self) -> None:
        self.stemmers: dict[str, Callable[[str], str] | None] = {}


_local = _Local()


def _stemmer(language: str) -> Callable[[str], str] | None:
    """Snowball objects keep state while they stem, so each thread owns its set."""
    stemmers = _local.stemmers
    if language not in stemmers:
        algorithm = _ALGORITHMS.get(language)
        stemmers[language] = Stemmer.Stemmer(algorithm, 0).stemWord if algorithm else None
    return stemmers[language]


def fold(word: str) -> str:
    """Lower-case Latin words without diacritics, an i without its dot as one with it; other scripts unchanged, since
    their marks carry meaning."""
    if word.isascii():
        return word
    word = word.replace("ı", "i")
    decomposed = unicodedata.normalize("NFD", word)
    if not any("a" <= char <= "z" for char in decomposed):
        return word
    kept: list[str] = []
    base = ""
    for char in decomposed:
        if not unicodedata.combining(char):
            base = char
        elif "a" <= base <= "z":
            continue
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word, diacritics folded after stemming since Snowball reads them."""
    stemmer = _stemmer(language)
    if stemmer is None or len(word) < 3:
        return fold(word)
    return fold(stemmer(word)) or fold(word)
