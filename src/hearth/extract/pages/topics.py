"""What texts are about: the words that many of them share and few others do. Pure.

Weights are those of tf-idf (Salton and Buckley, 1988), with the logarithm of the frequency in a text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

from hearth.lazy import dataclass
from hearth.text.background import background_share
from hearth.text.language import detect
from hearth.text.stopwords import IDLE_WORDS, stop_words
from hearth.text.terms import chunk_terms, chunks, surface

LEAST_DOCUMENTS, MOST_SHARE, MOST_TOPICS = 3, 0.2, 50
"""A topic stands in so many documents at least, and in this share of them at most."""
_COMMON = 0.02
"""A word in so large a share of ordinary texts is no topic."""
TRENDING = 2.0
_SHORT_DAYS, _LONG_DAYS = 14, 90
_LEAST_LETTERS = 4
# Ordinary text counts as so many texts more, so that a vault of a few days has something to be compared with.
_BACKGROUND = 1_000

_Spelled = dict[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class Topic:
    """``score`` sums up (1 + ln tf) idf; ``trend`` is how many deviations the daily rate of the last 14 days lies above
    that of the last 90."""

    term: str
    score: float
    documents: int
    mentions: int
    trend: float

    @property
    def trending(self) -> bool:
        return self.trend >= TRENDING

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {**asdict(self), "trending": self.trending}


@dataclass
class TopicCounts:
    """Counts documents as they come. Headings that several share are a template's: they say nothing of what a document
    is about."""

    _told: list[tuple[_Spelled, Mapping[str, str], float | None]] = field(default_factory=list)
    _shared: Counter[str] = field(default_factory=Counter)

    @property
    def documents(self) -> int:
        return len(self._told)

    def add(self, texts: Iterable[str], age: float | None, headings: Iterable[str] = ()) -> None:
        """A document with its age in days, ``None`` where it has no date; ``headings`` are not among its texts."""
        headed = {" ".join(one.casefold().split()): one for one in headings}
        self._shared.update(headed.keys())
        self._told.append((words(texts), headed, age))

    def rank(self) -> list[Topic]:
        """The weightiest first."""
        held: dict[str, list[tuple[int, float | None]]] = {}
        forms: dict[str, Counter[str]] = {}
        for said, headed, age in self._told:
            own = words(one for key, one in headed.items() if self._shared[key] < LEAST_DOCUMENTS)
            for term in said.keys() | own.keys():
                spelled = said.get(term, Counter()) + own.get(term, Counter())
                held.setdefault(term, []).append((spelled.total(), age))
                forms.setdefault(term, Counter()).update(spelled)
        most = max(LEAST_DOCUMENTS, int(self.documents * MOST_SHARE))
        found = [
            self._topic(_spelling(forms[term]), there)
            for term, there in held.items()
            if LEAST_DOCUMENTS <= len(there) <= most and background_share(term) <= _COMMON
        ]
        return sorted(found, key=lambda one: (-one.score, one.term))[:MOST_TOPICS]

    def _topic(self, spelled: str, held: Sequence[tuple[int, float | None]]) -> Topic:
        idf = math.log(self.documents / len(held))
        score = sum(1 + math.log(count) for count, _ in held) * idf
        recent, usual = (
            sum(age is not None and age < days for _, age in held) / days for days in (_SHORT_DAYS, _LONG_DAYS)
        )
        trend = (recent - usual) / math.sqrt(usual) if usual else 0.0
        return Topic(spelled, round(score, 3), len(held), sum(count for count, _ in held), round(trend, 2))


def words(texts: Iterable[str]) -> _Spelled:
    """Index term -> its spellings, with how often each occurs; short words, stop words and numbers left out."""
    found: _Spelled = {}
    for text in texts:
        language = detect(text)
        for chunk in chunks(text):
            word = chunk.strip("'’-_.:")
            if _says(word):
                for term, spelled in _forms(word, language):
                    found.setdefault(term, Counter())[spelled] += 1
    return found


def title(texts: Iterable[str], df: Mapping[str, float], total: float, most: int = 3) -> str:
    """The ``most`` words of the greatest tf-idf, as they are spelled most; ``df`` says how many of the ``total`` texts
    of the vault hold a term. Empty where no word says anything."""
    every = words(texts)

    def weight(term: str) -> float:
        rare = df.get(term, 0) + _BACKGROUND * background_share(term)
        return (1 + math.log(every[term].total())) * math.log((total + _BACKGROUND + 1) / (rare + 0.5))

    best = sorted(every, key=lambda term: (-weight(term), term))[:most]
    return ", ".join(_spelling(every[term]) for term in best)


def _says(word: str) -> bool:
    """Whether it may tell what a text is about: an acronym, a word of some length, anything in a script without
    spaces."""
    if not word.isalpha() or _is_stop(word.lower()) or word.lower() in IDLE_WORDS:
        return False
    return len(word) >= _LEAST_LETTERS or (len(word) > 1 and word.isupper()) or bool(surface(word).grams)


def _forms(word: str, language: str) -> list[tuple[str, str]]:
    """Index terms with how they read: pairs of characters where nothing parts words."""
    grams = [gram for gram in surface(word).grams if len(gram) > 1]
    return [(gram, gram) for gram in grams] or [(term, word) for term in chunk_terms(word.lower(), language)[:1]]


def _spelling(spelled: Counter[str]) -> str:
    return min(spelled, key=lambda form: (-spelled[form], form))


def _is_stop(word: str) -> bool:
    return any(word in listed for listed in stop_words().values())
