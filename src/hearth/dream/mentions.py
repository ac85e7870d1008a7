"""Mentions: passages by when they came up, and which of them say that one thing happened again."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hearth.dream.passage import Key
from hearth.dream.said import KnownStatements
from hearth.lazy import dataclass
from hearth.text.background import background_share

_SHARED, _SHARE = 2, 0.5
"""So many terms, and that part of what those of the shorter one say, two accounts of one thing share at least."""
_RAREST = 1e-4


@dataclass(frozen=True, slots=True)
class Mention:
    """A passage; ``days`` are the local dates on which it was written or used, ``tags`` terms of it, ``place``
    collection and path. An ``echo`` stands in a note of ours about a session, and may repeat another one."""

    key: Key
    text: str
    place: str
    line: int
    days: frozenset[str]
    tags: tuple[str, ...] = ()
    echo: bool = False

    @property
    def day(self) -> str:
        """The last of them."""
        return max(self.days)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """One thing as it was told several times; ``last`` is the newest account."""

    last: Mention
    mentions: tuple[Mention, ...]

    @property
    def days(self) -> list[str]:
        return sorted({day for one in self.mentions for day in one.days})


def find_recurring(mentions: Iterable[Mention]) -> list[Recurrence]:
    """What came up on two days at least, by different accounts or because one was used again; the most days first."""
    groups: list[list[Mention]] = []
    for mention in sorted(mentions, key=lambda one: (min(one.days), one.key)):
        for group in groups:
            if any(_is_same(mention, other) for other in group):
                group.append(mention)
                break
        else:
            groups.append([mention])
    found = [Recurrence(max(group, key=lambda one: (one.day, one.key)), tuple(group)) for group in groups]
    often = [one for one in found if len(one.days) > 1]
    return sorted(often, key=lambda one: (-len(one.days), -len(one.mentions), one.last.key))


def find_newest(mentions: Iterable[Mention], limit: int) -> list[Mention]:
    """The newest first, each statement once."""
    kept: list[Mention] = []
    said = KnownStatements(())
    for mention in sorted(sorted(mentions, key=lambda one: one.key), key=lambda one: one.day, reverse=True):
        if len(kept) == limit:
            break
        if not said.holds(mention.text):
            said.add(mention.text)
            kept.append(mention)
    return kept


def _is_same(one: Mention, other: Mention) -> bool:
    if one.text == other.text:
        return True
    first, second = set(one.tags), set(other.tags)
    shared = first & second
    return len(shared) >= _SHARED and _weigh(shared) >= _SHARE * min(_weigh(first), _weigh(second))


def _weigh(tags: Iterable[str]) -> float:
    """The rarer a term is in ordinary text, the more it says; added in order, so that sums are equal everywhere."""
    return sum(-math.log(max(background_share(tag), _RAREST)) for tag in sorted(tags))
