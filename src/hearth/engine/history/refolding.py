"""Refolding: whether what the index has of the journals is what they say, by folding them once more beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hearth.engine.history.fold import primitives
from hearth.lazy import dataclass
from hearth.model.journal.folded import Folded
from hearth.ports import EventLog, PositionReader

Rows = dict[tuple[str, ...], tuple[Any, ...]]
_KEYS = {"registers": 2, "members": 3}
"""Columns that name a row of each kind, the subject first."""


@dataclass(frozen=True, slots=True)
class Refolded:
    """``behind``: the journals hold what the index has not taken in, or not what it had, so that they can't be compared
    before the next update. Else ``wrong`` says by subject what of the index they don't say."""

    behind: bool
    wrong: Mapping[str, str]


def refold(log: EventLog, reader: PositionReader) -> Refolded:
    told, held = _fold(log).dump(), reader.folded()
    # Asked last: others go on writing.
    later = log.read_after(reader.journal_position(), whole=True)
    if later.events or later.lost:
        return Refolded(True, {})
    return Refolded(False, {} if told == held else dict(_compare(json.loads(told), json.loads(held))))


def _fold(log: EventLog) -> Folded:
    folded = Folded()
    position: Mapping[str, Any] = {}
    more = True
    while more:
        batch = log.read_after(position)
        position, more = batch.position, batch.more
        for event in batch.events:
            folded.apply(primitives(event))
    return folded


def _compare(told: Mapping[str, Any], held: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, width in _KEYS.items():
        right, found = _rows(told[kind], width), _rows(held[kind], width)
        for key in sorted(right.keys() | found.keys(), key=str):
            if right.get(key) != found.get(key):
                yield key[0], f"{key[1]!r} of it is not what the journal says"


def _rows(listed: list[list[Any]], width: int) -> Rows:
    return {tuple(row[:width]): tuple(row[width:]) for row in listed}
