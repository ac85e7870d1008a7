"""The journal as primitives that commute, and whether the index has what the journals say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hearth.core import subjects
from hearth.core.document import DocumentState
from hearth.core.folded import Folded
from hearth.core.journal import Event, Member, Register
from hearth.core.lazy import dataclass
from hearth.memory.history.fields import MalformedPayload, check_docid
from hearth.memory.history.payload import KINDS, Primitive
from hearth.ports import EventLog, PositionReader

MAX_COUNT = 1_000_000
COUNTED = ("referenced", "seen", "duplicate", "revised")
"""The sets that a document's state comes from."""
_DESCRIPTIVE = ("path", "body_hash")
_SUCCESSION = ("forgotten", "superseded_by", "moved_from", "purged")


def primitives(event: Event) -> tuple[Primitive, ...]:
    """What an event says, for any store to fold; empty for unknown kinds and malformed payloads."""
    try:
        return _primitives(event)
    except MalformedPayload:
        return ()


def problem(event: Event) -> str | None:
    """Why an event of a known kind is skipped; ``None`` where it is not."""
    try:
        _primitives(event)
    except MalformedPayload as error:
        return f"event {event.id} ({event.kind}) is skipped: {error}"
    return None


def state_of(registers: Mapping[str, Any], members: Mapping[str, tuple[int, int]]) -> DocumentState:
    """A document's state from its registers and, for each of its sets, (distinct keys, latest ms UTC)."""

    def count(name: str) -> int:
        return min(members.get(name, (0, 0))[0], MAX_COUNT)

    return DocumentState(
        pinned=registers.get("pinned") is True,
        snoozed_until=registers.get("snoozed_until"),
        forgotten=registers.get("forgotten") is True,
        archived=registers.get("archived") is True,
        superseded_by=registers.get("superseded_by"),
        invalidated_at=registers.get("invalidated_at"),
        access_count=count("referenced"),
        last_accessed_at=max((members[name][1] for name in ("referenced", "seen") if name in members), default=None),
        duplicate_count=count("duplicate"),
        revision_count=count("revised"),
        confidence=registers.get("confidence"),
        fulfilled_at=registers.get("fulfilled_at"),
        fulfilled_by=registers.get("fulfilled_by"),
        tags=tuple(registers.get("tags") or ()),
    )


def telling(item: Primitive) -> bool:
    """Whether it may change a document's state: what is shown, found or used together every day does not."""
    if not subjects.is_document(item.subject):
        return False
    return item.name in COUNTED if isinstance(item, Member) else item.field not in _DESCRIPTIVE


def succeeding(item: Primitive) -> bool:
    """Whether it may change the state of documents that its own supersedes."""
    return isinstance(item, Register) and item.field in _SUCCESSION and subjects.is_document(item.subject)


def _primitives(event: Event) -> tuple[Primitive, ...]:
    read = KINDS.get(event.kind)
    if read is None:
        return ()
    _check_storable(event)
    found: list[Primitive] = list(read(event))
    if event.doc is not None:
        doc = check_docid(event.doc, "doc")
        if event.path is not None and _is_text(event.path):
            found.append(Register(doc, "path", event.path, event.stamp))
        if event.body_hash is not None:
            found.append(Register(doc, "body_hash", event.body_hash, event.stamp))
    return tuple(found)


def _check_storable(event: Event) -> None:
    """Stores keep text as UTF-8 and values as JSON, which lone surrogates and infinite numbers don't fit."""
    try:
        texts = (event.id, event.machine, event.body_hash, event.data)
        json.dumps(texts, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise MalformedPayload("it holds text or numbers that can't be stored") from error


def _is_text(path: str) -> bool:
    """Not so for a name on disk that no encoding explains; the body hash still finds its document."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


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
