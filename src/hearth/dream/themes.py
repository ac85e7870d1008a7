"""Themes: terms that several passages share on several days, and that are commoner among them than elsewhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hearth.dream.passage import Key
from hearth.lazy import dataclass
from hearth.text.language import detect
from hearth.text.terms import chunks, terms

MAX_THEMES = 10
_PASSAGES, _DAYS, _Z = 3, 2, 2.0
_EXAMPLES = 5
_EDGE = "\"'.,;:!?()[]{}*_`’“”"


class Tagged(Protocol):
    """A passage by its text, its terms and the days on which it came up."""

    @property
    def key(self) -> Key: ...
    @property
    def text(self) -> str: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def days(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Theme:
    """A tag that ``passages`` share, on ``days`` days; ``z`` says how much commoner it is than in the vault.
    ``examples`` are statements of some; ``name`` is the tag as a word, or what the language model ``named_by``
    called it."""

    tag: str
    passages: tuple[Key, ...]
    days: int
    z: float
    examples: tuple[str, ...] = ()
    name: str = ""
    named_by: str = ""


@dataclass(frozen=True, slots=True)
class TermFrequencies:
    """How many of the ``fragments`` of the vault hold a term."""

    df: Mapping[str, float]
    fragments: float


def find_themes(passages: Sequence[Tagged], vocabulary: TermFrequencies) -> list[Theme]:
    """The strongest first."""
    by_tag: dict[str, list[Tagged]] = {}
    for passage in passages:
        for tag in passage.tags:
            by_tag.setdefault(tag, []).append(passage)
    total = len(passages)
    found = []
    for tag, having in by_tag.items():
        count = len(having)
        if count < _PASSAGES:
            continue
        days = {day for passage in having for day in passage.days}
        z = _log_odds(count, total, vocabulary.df.get(tag, 0), vocabulary.fragments)
        if len(days) >= _DAYS and z >= _Z:
            examples = tuple(passage.text for passage in having[:_EXAMPLES])
            found.append(Theme(tag, tuple(passage.key for passage in having), len(days), z, examples))
    return sorted(found, key=lambda one: (-one.z, one.tag))


def name_themes(themes: Iterable[Theme]) -> tuple[Theme, ...]:
    """The first ten, each word once: what is written in one word may have several terms."""
    found: dict[str, Theme] = {}
    for theme in map(write_out, themes):
        found.setdefault((theme.name or theme.tag).casefold(), theme)
        if len(found) == MAX_THEMES:
            break
    return tuple(found.values())


def write_out(theme: Theme) -> Theme:
    """Named by the word that its examples have for the tag, which may be a stem."""
    found: Counter[str] = Counter()
    for text in theme.examples:
        language = detect(text)
        found.update(word for chunk in chunks(text) if theme.tag in set(terms(word := chunk.strip(_EDGE), language)))
    return replace(theme, name=min(found, key=lambda word: (-found[word], word))) if found else theme


def _log_odds(here: int, passages: int, there: float, fragments: float) -> float:
    """z of the difference of two log odds, each count smoothed by one half."""
    cells = (here + 0.5, max(0, passages - here) + 0.5, there + 0.5, max(0.0, fragments - there) + 0.5)
    difference = math.log(cells[0] / cells[1]) - math.log(cells[2] / cells[3])
    return difference / math.sqrt(sum(1 / cell for cell in cells))
