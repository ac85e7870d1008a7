"""What a passage deserves, what keeps it from its place, and what pages say already."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from hearth.core.lazy import dataclass, regex
from hearth.pages.dream.passage import DAYS, DreamPassage, Key, days_between
from hearth.text.similarity import near_identical, normalised

_NEAR = 0.7
_WORD = regex(r"[^\W_]+")


class KnownStatements:
    """Statements among which near-identical ones are found without comparing each with all."""

    def __init__(self, statements: Iterable[str]) -> None:
        self._exact: dict[str, str] = {}
        self._by_word: dict[str, list[tuple[frozenset[str], str]]] = {}
        for statement in statements:
            self.add(statement)

    def add(self, statement: str) -> None:
        plain = normalised(statement)
        if plain not in self._exact:
            self._exact[plain] = statement
            words = _words(plain)
            for word in _telling(words):
                self._by_word.setdefault(word, []).append((words, statement))

    def find(self, text: str) -> str | None:
        """The first of them that says the same."""
        plain = normalised(text)
        if plain in self._exact:
            return self._exact[plain]
        words = _words(plain)
        near = (
            statement
            for word in _telling(words)
            for known, statement in self._by_word.get(word, ())
            if len(words & known) >= _NEAR * max(len(words), len(known))
        )
        return next((statement for statement in dict.fromkeys(near) if near_identical(text, statement)), None)

    def holds(self, text: str) -> bool:
        return self.find(text) is not None


def _words(plain: str) -> frozenset[str]:
    """Without punctuation; of a text that is nothing else, itself."""
    return frozenset(_WORD.findall(plain)) or frozenset((plain,))


def _telling(words: frozenset[str]) -> list[str]:
    """The longest words: so many that two texts that share ``_NEAR`` of their words share one of these."""
    return sorted(words, key=lambda word: (-len(word), word))[: len(words) - math.ceil(_NEAR * len(words)) + 1]


FREQUENCY, RELEVANCE, DIVERSITY, RECENCY, CONSOLIDATION, RICHNESS = 0.24, 0.30, 0.15, 0.15, 0.10, 0.06
LIGHT, REM = 0.06, 0.09
HALF_LIFE_DAYS = 14
_MANY_SIGNALS, _MANY_QUESTIONS, _MANY_TAGS, _MANY_HITS = 11, 5, 6, 7
_CONFIRMED_DAYS = 2


@dataclass(frozen=True, slots=True)
class Gates:
    """What a passage must have before it is promoted; chosen by ``bench/dreaming``."""

    min_score: float = 0.6
    min_signals: int = 3
    min_questions: int = 2
    min_confirmations: int = 2


@dataclass(frozen=True, slots=True)
class PhaseHits:
    """On which days the light and the REM phase met a passage."""

    light: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    rem: Mapping[Key, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DreamScore:
    """``parts`` are weighted and add up to ``total``; ``lacks`` says which gates are shut, empty for none."""

    passage: DreamPassage
    total: float
    parts: Mapping[str, float]
    lacks: tuple[str, ...] = ()


def score(passage: DreamPassage, hits: PhaseHits, today: str, gates: Gates) -> DreamScore:
    count = len(passage.signals)
    last = max(passage.days, default="1970-01-01")
    since = days_between(last, today)
    mean = sum(signal.value for signal in passage.signals) / count if count else 0.0
    parts = {
        "frequency": FREQUENCY * _share(math.log1p(count) / math.log(_MANY_SIGNALS)),
        "relevance": RELEVANCE * _share(mean),
        "diversity": DIVERSITY * _share(len(passage.questions) / _MANY_QUESTIONS),
        "recency": RECENCY * _decay(since) if count else 0.0,
        "consolidation": CONSOLIDATION * _share(passage.spacing),
        "richness": RICHNESS * _share(len(passage.tags) / _MANY_TAGS),
        "phases": _phases(hits.light.get(passage.key, frozenset()), hits.rem.get(passage.key, frozenset()), today),
    }
    total = sum(parts.values())
    return DreamScore(passage, total, parts, tuple(_lacks(passage, total, since, gates)))


def _phases(light: frozenset[str], rem: frozenset[str], today: str) -> float:
    if not light and not rem:
        return 0.0
    met = (LIGHT * math.log1p(len(light)) + REM * math.log1p(len(rem))) / math.log(_MANY_HITS)
    return met * _decay(days_between(max(light | rem), today))


def _lacks(passage: DreamPassage, total: float, since: int, gates: Gates) -> list[str]:
    confirmed = passage.confirmations
    on, days = {signal.day for signal in confirmed}, _CONFIRMED_DAYS
    sure = _is_made_up_for(passage, gates)
    few = len(confirmed) < gates.min_confirmations  # which says enough
    wanted = (
        (total >= gates.min_score, f"score {total:.2f} of {gates.min_score:.2f}"),
        (len(passage.signals) >= gates.min_signals, f"{len(passage.signals)} of {gates.min_signals} signals"),
        (len(passage.questions) >= gates.min_questions, f"{len(passage.questions)} of {gates.min_questions} questions"),
        (sure or not few, f"{len(confirmed)} of {gates.min_confirmations} confirmations"),
        (
            sure or few or len(on) >= min(_CONFIRMED_DAYS, gates.min_confirmations),
            f"confirmed on {len(on)} of {days} days",
        ),
        (since <= DAYS, f"no signal for {since} days"),
        (not passage.echo, "an assistant said it in a session"),
    )
    return [why for holds, why in wanted if not holds]


def _is_made_up_for(passage: DreamPassage, gates: Gates) -> bool:
    """Whether signals beyond those asked for, one each, stand for confirmations that are missing, but for the first."""
    confirmed = len(passage.confirmations)
    missing = max(1, gates.min_confirmations - confirmed)
    more = len(passage.signals) - gates.min_signals
    return confirmed > 0 and more >= missing and len(passage.days) >= _CONFIRMED_DAYS


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _decay(days: int) -> float:
    return math.pow(0.5, days / HALF_LIFE_DAYS)
