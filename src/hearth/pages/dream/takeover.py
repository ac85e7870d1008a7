"""Recalls that other assistants counted in a workspace, taken over once: what they found counts as found here.

ClawCode keeps ``memory/.dreams/short-term-recall.json`` with flat or nested entries, OpenClaw the latter with more
keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from hearth.core import subjects
from hearth.core.document import docid
from hearth.core.errors import HearthError
from hearth.core.instants import show_date, zone_of
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.memory.history.history import History
from hearth.pages.dream.held import FADES_AFTER_DAYS
from hearth.pages.dream.passage import days_between
from hearth.pages.dream.signals import MAX_BLOCKS, document_blocks
from hearth.ports import Clock, Collection, Files, Reader
from hearth.text.similarity import normalised

_PLACES = {b"memory/.dreams/short-term-recall.json": "", b".dreams/short-term-recall.json": "memory/"}
"""File in a collection -> what begins paths in it and not in the collection."""
_MOST_ENTRIES = 20_000
_MOST_DAYS = 32
_KEY_CHARS = 16


@dataclass(frozen=True, slots=True)
class ForeignRecall:
    """Lines of a file that answered on ``days``; ``value`` in [0, 1] is their mean score."""

    path: str
    lines: tuple[int, int]
    snippet: str
    value: float
    days: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecallTakeover:
    """Looks into each of the ``collections`` until it found such a file there and took it over."""

    history: History
    files: Files
    collections: Sequence[Collection]
    clock: Clock
    zone: str

    def __call__(self) -> int:
        """How many recalls were taken over now. A file that can't be read now is looked at another night."""
        with self.history.store.read() as reader:
            done = reader.registers(subjects.name_dreaming(), subjects.name_takeover(""))
        count = 0
        for collection in self.collections:
            if subjects.name_takeover(collection.name) in done:
                continue
            for place, start in _PLACES.items():
                recalls = self._read(collection, place)
                if recalls is not None:
                    with self.history.store.read() as reader:
                        drafts = [draft for one in recalls for draft in self._drafts(reader, collection, start, one)]
                    self.history.record([*drafts, Draft("dreamt", data={"taken": collection.name})])
                    count += len(drafts)
        return count

    def _read(self, collection: Collection, place: bytes) -> list[ForeignRecall] | None:
        try:
            state = self.files.state(collection, place)
            data = None if state is None else self.files.read(collection, state)
            return None if data is None else list(_recalls(json.loads(data)))
        except (HearthError, OSError, ValueError, RecursionError):
            return None

    def _drafts(self, reader: Reader, collection: Collection, start: str, one: ForeignRecall) -> Iterator[Draft]:
        name = docid(collection.name, one.path.removeprefix(start))
        passages = [[name, block] for block in _passages(reader, name, one)]
        today = show_date(self.clock(), zone_of(self.zone))
        for day in one.days if passages else ():
            if day <= today and days_between(day, today) < FADES_AFTER_DAYS:
                told = json.dumps([name, one.lines, one.snippet, day])
                key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARS]
                about = {"docs": [name], "scores": [one.value], "blocks": passages, "on": day}
                yield Draft("recalled", data={"key": key, "day": day, **about})


def _recalls(told: Any) -> Iterator[ForeignRecall]:
    """What doesn't fit is passed over."""
    rows = told.get("entries", told) if isinstance(told, dict) else {}
    for row in list(rows.values())[:_MOST_ENTRIES] if isinstance(rows, dict) else ():
        if isinstance(row, dict) and (found := _recall(row)) is not None:
            yield found


def _recall(row: Mapping[str, Any]) -> ForeignRecall | None:
    path, snippet = row.get("path"), row.get("snippet", "")
    first, last = row.get("startLine"), row.get("endLine")
    count, total = row.get("recallCount"), row.get("totalScore")
    days = row.get("recallDays")
    if not isinstance(path, str) or not isinstance(snippet, str) or not isinstance(days, list):
        return None
    if type(first) is not int or type(last) is not int or type(count) is not int or count < 1:
        return None
    if not isinstance(total, int | float) or not 0 <= total <= count * 1e6:
        return None
    known = tuple(dict.fromkeys(day for day in days[-_MOST_DAYS:] if _is_day(day)))
    return ForeignRecall(path, (first, last), snippet, min(1.0, total / count), known)


def _is_day(day: object) -> bool:
    try:
        return isinstance(day, str) and date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


def _passages(reader: Reader, name: str, one: ForeignRecall) -> list[str]:
    """The passages of the snippet, wherever they stand now; of the lines, where none of it is left."""
    stored = reader.document(name)
    own = [] if stored is None else list(document_blocks(reader, stored))
    said = normalised(one.snippet)
    quoted = [block.hash for block in own if said and ((plain := normalised(block.text)) in said or said in plain)]
    inside = [block.hash for block in own if block.start <= one.lines[1] and one.lines[0] <= block.end]
    kept = list(dict.fromkeys(quoted or inside))
    return kept[:MAX_BLOCKS] if quoted or len(kept) <= MAX_BLOCKS else []
