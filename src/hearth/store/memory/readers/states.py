"""The state folded from the journal, by subject."""

from __future__ import annotations

from typing import Any

from hearth.model.journal.subjects import name_noticed
from hearth.ports import Filter
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryStateReader(InMemoryBase):
    """Implements ``ports.StateReader``."""

    def registers(self, subject: str, prefix: str = "") -> dict[str, Any]:
        return self._data.folded.registers(subject, prefix)

    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        return self._data.folded.members(subject)

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        return self._data.folded.keys(subject, name, limit)

    def set_by(self, subject: str, field: str) -> str | None:
        return self._data.folded.set_by(subject, field)

    def subjects_with(self, field: str, value: Any) -> list[str]:
        return self._data.folded.subjects_with(field, value)

    def orphans(self) -> list[tuple[str, str]]:
        data, found = self._data, list[tuple[str, str]]()
        for subject, body_hash in data.folded.holders("body_hash").items():
            if subject not in data.by_docid:
                documents = (stored.document for stored in data.documents.values())
                alike = (d.docid for d in documents if d.body_hash == body_hash)
                found.extend((subject, docid) for docid in alike if not data.folded.registers(docid))
        return sorted(found)

    def unnoticed(self, within: Filter, limit: int) -> list[str]:
        noticed = self._data.folded.holders("noticed")
        left = [
            (stored.document.dated_at or 0, stored.document.docid)
            for stored in self._fitting(within)
            if noticed.get(name_noticed(stored.document.docid)) != stored.document.body_hash
        ]
        return [docid for _, docid in sorted(left)[:limit]]

    def holders(self, field: str) -> dict[str, Any]:
        return self._data.folded.holders(field)
