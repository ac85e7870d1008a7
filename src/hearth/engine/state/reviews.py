"""Reviews: questions for a person, asked by whatever notices that two documents may not both be true, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from hearth.model.document import Document
from hearth.model.journal import subjects
from hearth.model.journal.event import Draft
from hearth.model.journal.review import ReviewEntry, read_review
from hearth.model.truth.judgement import Relation
from hearth.ports import Reader, StateReader

MAX_SAID_CHARS = 200
"""What a question may quote: enough to see why, too little to keep what is purged."""

_CLASHES = (Relation.UPDATE, Relation.CONTRADICTION)


def draft_review(newer: Document, older: str, relation: str, **said: Any) -> Draft:
    """The event that puts a question about a document and an older one (its docid) before a person. ``said`` are
    ``confidence``, ``why`` and ``evidence``, texts scrubbed by the caller and cut here, and remarks of the journal."""
    cut = {name: said[name][:MAX_SAID_CHARS] for name in ("why", "evidence") if said.get(name)}
    data = {"older": older, "relation": relation, **said, **cut}
    told = {name: value for name, value in data.items() if value not in (None, "")}
    return Draft("review", newer.docid, newer.path, newer.body_hash, told)


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
    decided = reader.holders("decision")
    found = [
        read_review(opened, decided.get(subject), now)
        for subject, opened in reader.holders("opened").items()
        if opened is not None and subjects.is_review(subject)
    ]
    return sorted(found, key=lambda one: (one.asked_at, one.id))
