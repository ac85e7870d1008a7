"""Questions for a person, and the confidence that a document lost by a newer one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from hearth.core import subjects
from hearth.core.document import Document
from hearth.core.journal import Draft, ReviewEntry, read_review
from hearth.core.judgement import Relation
from hearth.ports import Reader, StateReader, StoredDocument
from hearth.vault.changes import set_by
from hearth.vault.history import History

MOST = 6
"""Of the documents that one newer one cast doubt on, so many get their confidence back with one wish."""
_EDGE = "contradicts"


def draft_return(
    reader: Reader, history: History, newer: str, older: StoredDocument, metadata: Mapping[str, Any]
) -> list[Draft]:
    """The event that gives ``older`` the confidence back that it lost by ``newer`` (docid); none where it lost none by
    that one, or something else set it since."""
    docid = older.document.docid
    setter = set_by(reader, docid, "confidence")
    if setter is None:
        return []
    lowered = next((one for one in history.log.newest(own=False, naming=(setter,)) if one.id == setter), None)
    if lowered is None or lowered.data.get("run") != newer:
        return []
    return history.draft_change(reader, older.document, {"confidence": lowered.data.get("was")}, metadata)


def draft_returns(reader: Reader, history: History, newer: str, metadata: Mapping[str, Any]) -> list[Draft]:
    """The same for each document that ``newer`` contradicts."""
    edges = (subjects.read_relation(register) for register in reader.registers(newer, subjects.RELATION))
    older = (reader.document(target) for kind, target in edges if kind == _EDGE)
    drafts = [
        draft for one in older if one is not None for draft in draft_return(reader, history, newer, one, metadata)
    ]
    return drafts[:MOST]


MAX_SAID_CHARS = 200
"""What a question may quote: enough to see why, too little to keep what is purged."""

_CLASHES = (Relation.UPDATE, Relation.CONTRADICTION)


def draft_review(newer: Document, older: str, relation: str, **metadata: Any) -> Draft:
    """The event that puts a question about a document and an older one (its docid) before a person. ``metadata`` are
    ``confidence``, ``why`` and ``evidence``, texts scrubbed by the caller and cut here, and remarks of the journal."""
    cut = {name: metadata[name][:MAX_SAID_CHARS] for name in ("why", "evidence") if metadata.get(name)}
    data = {"older": older, "relation": relation, **metadata, **cut}
    payload = {name: value for name, value in data.items() if value not in (None, "")}
    return Draft("review", newer.docid, newer.path, newer.body_hash, payload)


def find_review(reader: StateReader, one: str, other: str, now: int) -> ReviewEntry | None:
    """The question about two documents, open or decided; ``None`` where none was asked. What was asked once is not
    asked again."""
    registers = reader.registers(subjects.name_review(one, other))
    opened = registers.get("opened")
    return None if opened is None else read_review(opened, registers.get("decision"), now)


class Doubts:
    """What may contradict what, by the questions that are open; they are read once, when they are first needed."""

    def __init__(self, reader: Reader, now: int) -> None:
        self._reader, self._now = reader, now

    def find(self, docids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each of the documents that a question is about, what may contradict it, unless that is gone or hidden."""
        wanted = dict.fromkeys(docids)
        found = {docid: tuple(filter(self._stands, self._clashes.get(docid, ()))) for docid in wanted}
        return {docid: others for docid, others in found.items() if others}

    @cached_property
    def _clashes(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for entry in list_reviews(self._reader, self._now):
            if entry.open and entry.relation in _CLASHES:
                found.setdefault(entry.newer, []).append(entry.older)
                found.setdefault(entry.older, []).append(entry.newer)
        return found

    def _stands(self, docid: str) -> bool:
        stored = self._reader.document(docid)
        return stored is not None and not stored.state.hidden


def list_reviews(reader: StateReader, now: int) -> list[ReviewEntry]:
    """All that were asked, the oldest first; ``now`` is ms UTC."""
    asked = reader.holders("opened")
    decided = reader.holders("decision") if asked else {}
    found = [
        read_review(opened, decided.get(subject), now)
        for subject, opened in asked.items()
        if opened is not None and subjects.is_review(subject)
    ]
    return sorted(found, key=lambda one: (one.asked_at, one.id))
