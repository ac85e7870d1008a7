"""What was found in the folders."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hearth.ports import CollectionState, IndexedFile, Skipped, StoredDocument, UnsettledNote
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryCollectionReader(InMemoryBase):
    """Implements ``ports.CollectionReader``."""

    def files(self, collection: str) -> dict[str, IndexedFile]:
        stored = (d for d in self._data.documents.values() if d.document.collection == collection)
        return {d.document.path: d.indexed for d in stored}

    def misnamed(self, collection: str) -> list[StoredDocument]:
        found = [d for d in self._data.documents.values() if d.document.named not in (None, d.document.docid)]
        return sorted((d for d in found if d.document.collection == collection), key=lambda d: d.document.path)

    def unsettled(self, collection: str) -> list[UnsettledNote]:
        documents = (d.document for d in self._data.documents.values() if d.document.collection == collection)
        found = (one for one in documents if one.dates is not None or one.language_guess is not None)
        notes = (UnsettledNote(one.path, one.dates, one.language, one.language_guess) for one in found)
        return sorted(notes, key=lambda note: note.path)

    def count_languages(self, collection: str) -> dict[str, int]:
        documents = (d.document for d in self._data.documents.values() if d.document.collection == collection)
        return dict(Counter(one.language for one in documents))

    def skipped(self) -> list[Skipped]:
        found = (item for items in self._data.skipped.values() for item in items)
        return sorted(found, key=lambda item: (item.collection, item.path))

    def collections(self) -> dict[str, CollectionState]:
        counts: dict[str, int] = {}
        for stored in self._data.documents.values():
            counts[stored.document.collection] = counts.get(stored.document.collection, 0) + 1
        states = sorted(self._data.collections.items())
        return {name: replace(state, documents=counts.get(name, 0)) for name, state in states}
