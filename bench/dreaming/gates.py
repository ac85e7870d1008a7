"""Which gates a month would have wanted: the nights again, with other ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import product

from dreaming.month import DAYS, START, Month
from hearth.config.tree import DreamSettings
from hearth.pages.dream.fragments import DreamFragment, Key
from hearth.pages.dream.plan import Night, NightRules, dream
from hearth.pages.dream.scores import Gates, KnownStatements, PhaseHits
from hearth.vault.usage_statistics import spacing

PER_NIGHT = DreamSettings().per_night
FEWER = (1, 2, 3)
SCORES, SIGNALS, QUESTIONS, CONFIRMATIONS = (0.6, 0.7, 0.85), (2, 3, 4), (1, 2, 3), (1, 2, 3)
SEED = Gates(0.30, 2, 1, 0)
"""What the dreaming that this one follows asks for, with search hits for signals."""


def grid() -> Iterator[Gates]:
    for chosen in product(SCORES, SIGNALS, QUESTIONS, CONFIRMATIONS):
        yield Gates(*chosen)


@dataclass(frozen=True, slots=True)
class Evening:
    """What a night had to go by."""

    day: str
    fragments: tuple[DreamFragment, ...]
    hits: PhaseHits


def evenings(month: Month) -> list[Evening]:
    """The phases depend on no gate, so each night's are gone through once."""
    light: dict[Key, frozenset[str]] = {}
    rem: dict[Key, frozenset[str]] = {}
    found: list[Evening] = []
    first = datetime.fromtimestamp(START / 1000, UTC).date()
    for number in range(1, DAYS + 1):
        day = (first + timedelta(days=number)).isoformat()
        known = [past for one in month.fragments if (past := until(one, day)).signals]
        hits = PhaseHits(dict(light), dict(rem))
        found.append(Evening(day, tuple(known), hits))
        night = dream(known, hits, month.vocabulary, day, NightRules(Gates(), 0))
        for phase, keys in ((light, [one.key for one in night.light]), (rem, list(night.rem))):
            phase.update({key: phase.get(key, frozenset()) | {day} for key in keys})
    return found


def until(fragment: DreamFragment, day: str) -> DreamFragment:
    """As it stood when a day began."""
    past = tuple(signal for signal in fragment.signals if signal.day < day)
    return replace(fragment, signals=past, spacing=spacing({signal.day for signal in past}))


def promote(month: Month, found: Sequence[Evening], gates: Gates, most: int = PER_NIGHT) -> list[Key]:
    """What would have been promoted, ``most`` a night."""
    texts: list[str] = []
    keys: list[Key] = []
    for evening in found:
        worth = [one for one in evening.fragments if one.confirmations or not gates.min_confirmations]
        rules = NightRules(gates, most, frozenset(keys), KnownStatements(texts).holds)
        night = _deep(worth, evening, month, rules)
        keys += [one.fragment.key for one in night.promoted]
        texts += [one.fragment.text for one in night.promoted]
    return keys


def _deep(worth: Iterable[DreamFragment], evening: Evening, month: Month, rules: NightRules) -> Night:
    return dream(list(worth), evening.hits, month.vocabulary, evening.day, rules)
