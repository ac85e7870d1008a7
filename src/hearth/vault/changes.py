"""Changes of a document's state: its fields, the event that sets each, and what the index keeps of a purged one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from hearth.core.document import Document
from hearth.core.errors import UsageError
from hearth.core.journal import MAX_REASON_CHARS, Draft
from hearth.core.lazy import dataclass, regex
from hearth.ports import PositionReader, Writer
from hearth.vault import linking
from hearth.vault.linking import KEY

NOTHING: Mapping[str, Any] = {
    "pinned": False,
    "snoozed_until": None,
    "forgotten": False,
    "archived": False,
    "approved": False,
    "superseded_by": None,
    "invalidated_at": None,
    "confidence": None,
    "fulfilled_at": None,
    "tags": None,
}
"""Each field that may be changed, with its value where the journal says nothing."""
_BESIDE = {"superseded_by": {"at": "superseded_at"}, "fulfilled_at": {"by": "fulfilled_by"}}
"""What the events of a field also hold: the name in their payload, and the register it goes to."""
_FLAGS = {
    "pinned": ("unpin", "pin"),
    "forgotten": ("unforget", "forget"),
    "archived": ("restore", "archive"),
    "approved": ("unapprove", "approve"),
}
_ACTOR = regex(r"[a-z][a-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field's new value, the one that an undo brings back, and the event which that came from; and what goes along
    with either value."""

    field: str
    value: Any
    was: Any
    after: str | None
    along: Mapping[str, Any] | None = None
    was_along: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Remarks:
    """Why and by whom. ``actor`` is ``human`` for a person at a terminal, else a program's name."""

    reason: str | None = None
    actor: str = "program"

    def data(self) -> dict[str, Any]:
        """As events carry it. Raises ``UsageError``."""
        if _ACTOR.fullmatch(self.actor) is None:
            raise UsageError(
                f"actor {self.actor[:64]!r} is not a lower-case word of up to 64 letters, digits, ., _ or -"
            )
        reason = " ".join((self.reason or "").split())
        if len(reason) > MAX_REASON_CHARS:
            raise UsageError(
                f"the reason has {len(reason)} characters, over the limit of {MAX_REASON_CHARS}; shorten it"
            )
        return {"reason": reason, "actor": self.actor} if reason else {"actor": self.actor}


def plan(known: Mapping[str, Any], setter: Callable[[str], str | None], wanted: Mapping[str, Any]) -> list[FieldChange]:
    """What differs. ``known`` are the registers of the document, ``setter`` gives the event that set one."""
    before = {field: known.get(field, NOTHING[field]) for field in wanted}
    return [
        FieldChange(field, value, before[field], setter(field), was_along=beside(known, field))
        for field, value in wanted.items()
        if before[field] != value
    ]


def along(op: FieldChange, more: Mapping[str, Any]) -> FieldChange:
    """With what goes along with the new value."""
    return replace(op, along=dict(more))


def beside(known: Mapping[str, Any], field: str) -> dict[str, Any]:
    """What goes along with the present value of a field."""
    names = _BESIDE.get(field, {}).items()
    return {name: known[register] for name, register in names if known.get(register) is not None}


def drafts(
    docid: str, path: str | None, body_hash: str | None, ops: Iterable[FieldChange], remarks: Mapping[str, Any]
) -> list[Draft]:
    made = []
    for op in ops:
        kind, data = event_of(op.field, op.value)
        payload = {"was": op.was, "after": op.after} | ({"was_along": dict(op.was_along)} if op.was_along else {})
        along = {} if op.value is None else op.along or {}
        made.append(Draft(kind, docid, path, body_hash, {**data, **along, **remarks, **payload}))
    return made


def of(document: Document, ops: Sequence[FieldChange], remarks: Mapping[str, Any]) -> list[Draft]:
    return drafts(document.docid, document.path, document.body_hash, ops, remarks)


def event_of(field: str, value: Any) -> tuple[str, dict[str, Any]]:
    """Kind and payload of the event that gives a field a value."""
    if field in _FLAGS:
        return _FLAGS[field][bool(value)], {}
    if field == "snoozed_until":
        return ("unsnooze", {}) if value is None else ("snooze", {"until": value})
    if field == "superseded_by":
        return "supersede", {"by": value}
    if field == "confidence":
        return "confidence", {"value": value}
    if field == "tags":
        return "retag", {"tags": value}
    return ("fulfill" if field == "fulfilled_at" else "invalidate"), {"at": value}


MEMORY = {"scope": "memory"}
"""The register ``purged`` of what the engine wrote: its file goes on every machine."""
_DUE = "purge"


def is_to_be_purged(registers: Mapping[str, Any], document: Document) -> bool:
    """Whether a purge holds for a document: of a person's file that was deleted it holds for that text only, since
    another file may take its place."""
    found = registers.get("purged")
    return isinstance(found, dict) and (found.get("scope") != "file" or found.get("text") == document.body_hash)


def is_purged(document: Document) -> bool:
    """No other document is without a title."""
    return not document.title


def hollow_out(writer: Writer, document: Document) -> None:
    """Takes everything that the document says out of the index. What it supersedes stays superseded."""
    if is_purged(document):
        return
    facts = {KEY: document.facts[KEY]} if KEY in document.facts else {}
    empty = replace(
        document,
        title="",
        tags=(),
        aliases=(),
        domain=None,
        workstream=None,
        review_by=None,
        facts=MappingProxyType(facts),
    )
    writer.hollow(empty, linking.mentions(empty))
    demand(writer)


def demand(writer: Writer) -> None:
    """From now on an erasure is due."""
    writer.set_meta(_DUE, "due")


def settle(writer: Writer) -> None:
    writer.set_meta(_DUE, "")


def due(reader: PositionReader) -> bool:
    """Whether something was purged that this machine has not erased yet."""
    return bool(reader.meta(_DUE))
