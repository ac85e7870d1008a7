"""The journal as primitives that commute: any order, any repetition of events folds to one state.

``hearth.engine.history.payload`` says what each kind means. Every event of a known kind that carries them also sets the
registers ``path`` and ``body_hash`` of its document, so that state finds a file that was renamed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hearth.engine.history.fields import MalformedPayload, check_docid
from hearth.engine.history.payload import KINDS, Primitive
from hearth.model.document import DocumentState
from hearth.model.journal import subjects
from hearth.model.journal.event import Event
from hearth.model.journal.state import Member, Register

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
