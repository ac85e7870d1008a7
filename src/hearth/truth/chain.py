"""The chain of a document: what it replaced, and what replaced it, each with why and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from hearth.core import instants, subjects
from hearth.core.lazy import dataclass
from hearth.core.validity import Validity
from hearth.ports import Reader, StoredDocument
from hearth.vault import linking, usage_statistics
from hearth.vault.documents import read_beginning

_LONGEST = 64
_SAID_CHARS = 160


@dataclass(frozen=True, slots=True)
class Version:
    """A document of a chain: ``said`` begins its text; ``why`` holds ``reason``, ``actor``, ``confidence`` and
    ``evidence`` of its giving way, as far as they are known."""

    stored: StoredDocument
    validity: Validity
    said: str
    focus: bool = False
    why: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        document = self.stored.document
        place = {"docid": document.docid, "collection": document.collection, "path": document.path}
        about = {"title": document.title, "content_type": document.content_type, "said": self.said}
        return place | about | self.validity.to_dict() | {"focus": self.focus, "why": dict(self.why)}


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the document asked about, such as ``contradicts``; ``other`` is a docid or what else it leads to."""

    kind: str
    other: str
    about: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "other": self.other, **self.about}


@dataclass(frozen=True, slots=True)
class Chain:
    """``versions`` from the oldest to the newest."""

    versions: tuple[Version, ...]
    edges: tuple[Edge, ...] = ()

    def show(self, instant: int | None) -> str:
        """The UTC date; with the time where the chain holds another moment of that day, unless a date is all that is
        known."""
        if instant is None or instants.is_date_only(instant):
            return instants.show_date_or_none(instant)
        moments = {moment for one in self.versions for moment in (one.validity.valid_from, one.validity.valid_to)}
        day = instants.show_date(instant)
        alone = all(other is None or other == instant or instants.show_date(other) != day for other in moments)
        return day if alone else instants.show(instant)

    def to_dict(self) -> dict[str, Any]:
        return {"versions": [v.to_dict() for v in self.versions], "edges": [e.to_dict() for e in self.edges]}


def chain(reader: Reader, stored: StoredDocument, now: int) -> Chain:
    """``now`` is ms UTC."""
    docid = stored.document.docid
    newer = _newer(reader, stored)
    older = _older(reader, stored)
    line = [*reversed(older), stored, *newer]
    versions = tuple(_version(reader, one, now, focus=one.document.docid == docid) for one in line)
    return Chain(versions, tuple(_edges(reader, docid)))


def _newer(reader: Reader, stored: StoredDocument) -> list[StoredDocument]:
    found: list[StoredDocument] = []
    seen = {stored.document.docid}
    current: StoredDocument | None = stored
    while current is not None and len(found) < _LONGEST:
        by = current.state.superseded_by or linking.successor(reader, current.document.docid)
        current = None if by is None or by in seen else reader.document(by)
        if current is not None and by is not None:
            seen.add(by)
            found.append(current)
    return found


def _older(reader: Reader, stored: StoredDocument) -> list[StoredDocument]:
    """The latest first, whatever it was that replaced it."""
    found: dict[str, StoredDocument] = {}
    waiting = [stored.document.docid]
    while waiting and len(found) < _LONGEST:
        name = waiting.pop(0)
        below, behind = linking.find_superseded(reader, name), linking.predecessors(reader, name)
        for other in sorted({*below, *behind}):
            one = reader.document(other)
            fits = one is not None and (one.state.superseded_by is not None or other in behind) and other not in found
            if one is not None and fits and other != stored.document.docid:
                found[other] = one
                waiting.append(other)
    return sorted(found.values(), key=lambda one: (-(one.document.valid_from or 0), one.document.docid))


def _version(reader: Reader, stored: StoredDocument, now: int, *, focus: bool) -> Version:
    document, state = stored.document, stored.state
    why: dict[str, Any] = {}
    if state.superseded_by is not None:
        why = _why(reader, document.docid) or {"reason": "the newer one's file says so"}
    elif linking.successor(reader, document.docid) is not None:
        why = {"reason": "their statuses show it"}
    return Version(stored, Validity.of(document, state, now), read_beginning(reader, stored, _SAID_CHARS), focus, why)


def _why(reader: Reader, docid: str) -> dict[str, Any]:
    for name in usage_statistics.former(reader, docid):
        registers = reader.registers(name, "superseded")
        if registers.get(linking.FIELD) is not None:
            return dict(registers.get("superseded_why") or {})
    return {}


def _edges(reader: Reader, docid: str) -> list[Edge]:
    found: dict[tuple[str, str], Any] = {}
    for name in usage_statistics.former(reader, docid):
        for register, value in reader.registers(name, subjects.RELATION).items():
            found.setdefault(subjects.read_relation(register), value)
    return [Edge(kind, other, value) for (kind, other), value in sorted(found.items()) if isinstance(value, dict)]
