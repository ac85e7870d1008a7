"""One night: light sleep gathers what is new, REM looks for themes, deep sleep decides what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from hearth.core.lazy import dataclass
from hearth.pages.dream.passage import DreamPassage, Key, counted, days_back
from hearth.pages.dream.score import DreamScore, Gates, KnownStatements, PhaseHits, score
from hearth.pages.dream.themes import TermFrequencies, Theme, find_themes, name_themes

LIGHT_DAYS, REM_DAYS = 2, 7
MAX_LIGHT = 100
MAX_PATTERNS, MAX_REFUSED = 5, 5
_PATTERN_DAYS = 2


@dataclass(frozen=True, slots=True)
class Night:
    """What the phases of ``day`` (local date) came to; ``refused`` are the best that were not promoted.
    ``editor`` is the language model that shortened statements and named themes."""

    day: str
    light: tuple[DreamPassage, ...]
    themes: tuple[Theme, ...]
    patterns: tuple[DreamPassage, ...]
    promoted: tuple[DreamScore, ...]
    refused: tuple[DreamScore, ...]
    editor: str = ""

    @property
    def rem(self) -> tuple[Key, ...]:
        """What the REM phase met."""
        themed = [key for theme in self.themes for key in theme.passages]
        return tuple(sorted({*themed, *(passage.key for passage in self.patterns)}))


def unite(passages: Iterable[DreamPassage]) -> list[DreamPassage]:
    """Near-identical statements become one, with the signals of all: that of an undated page, else the oldest. What was
    said by assistants alone is none."""
    groups: dict[str, list[DreamPassage]] = {}
    known = KnownStatements(())
    for passage in sorted(passages, key=lambda one: (one.echo, one.written or "", one.key)):
        said = known.find(passage.text)
        if said is None:
            known.add(said := passage.text)
        groups.setdefault(said, []).append(passage)
    found = [_joined(group) for group in groups.values() if not group[0].echo]
    return sorted(found, key=lambda one: one.key)


@dataclass(frozen=True, slots=True)
class NightRules:
    """``most`` may be promoted; ``known`` may not, whatever they deserve, nor what ``said`` finds on a page already."""

    gates: Gates
    most: int
    known: frozenset[Key] = frozenset()
    said: Callable[[str], bool] = lambda text: False


def dream(
    passages: Sequence[DreamPassage], hits: PhaseHits, vocabulary: TermFrequencies, today: str, rules: NightRules
) -> Night:
    """The night of ``today`` (local date)."""
    gates = rules.gates
    light = _light(passages, today)
    week = [past for one in passages if (past := _of_days(one, today, REM_DAYS)).signals]
    themes = name_themes(find_themes(week, vocabulary))
    found = Night(today, light, themes, _patterns(week), (), ())
    met = _with_tonight(hits, found)
    scored = sorted((score(one, met, today, gates) for one in passages), key=lambda one: (-one.total, one.passage.key))
    free = [one for one in scored if one.passage.key not in rules.known]
    promoted = islice((one for one in free if not one.lacks and not rules.said(one.passage.text)), rules.most)
    refused = [one for one in free if one.lacks]
    return replace(found, promoted=tuple(promoted), refused=tuple(refused[:MAX_REFUSED]))


def _light(passages: Sequence[DreamPassage], today: str) -> tuple[DreamPassage, ...]:
    new = [passage for passage in passages if _of_days(passage, today, LIGHT_DAYS).signals]
    new.sort(key=lambda one: (-len(one.signals), one.key))
    return tuple(new[:MAX_LIGHT])


def _patterns(week: Sequence[DreamPassage]) -> tuple[DreamPassage, ...]:
    often = [passage for passage in week if len(passage.days) >= _PATTERN_DAYS]
    often.sort(key=lambda one: (-len(one.days), -len(one.signals), one.key))
    return tuple(often[:MAX_PATTERNS])


def _with_tonight(hits: PhaseHits, night: Night) -> PhaseHits:
    def more(known: Mapping[Key, frozenset[str]], keys: Iterable[Key]) -> dict[Key, frozenset[str]]:
        return {**known, **{key: known.get(key, frozenset()) | {night.day} for key in keys}}

    return PhaseHits(more(hits.light, (one.key for one in night.light)), more(hits.rem, night.rem))


def _of_days(passage: DreamPassage, today: str, days: int) -> DreamPassage:
    """With the signals of the last days alone."""
    last = set(days_back(today, days - 1))
    return replace(passage, signals=tuple(signal for signal in passage.signals if signal.day in last))


def _joined(group: Sequence[DreamPassage]) -> DreamPassage:
    first = group[0]
    if len(group) == 1:
        return first
    signals = counted([signal for passage in group for signal in passage.signals])
    joined = tuple(passage.key for passage in group[1:])
    return replace(first, signals=tuple(signals), spacing=max(one.spacing for one in group), joined=joined)
