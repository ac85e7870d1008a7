"""What was found in the folders."""

from __future__ import annotations

from dataclasses import replace

from hearth.ports import CollectionState, IndexedFile, Skipped, StoredDocument
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryCollectionReader(InMemoryBase):
    """Implements ``ports.CollectionReader``."""

    def files(self, collection: str) -> dict[str, IndexedFile]:
        stored = (d for d in self._data.documents.values() if d.document.collection == collection)
        return {d.document.path: d.indexed for d in stored}

    def misnamed(self, collection: str) -> list[StoredDocument]:
        found = [d for d in self._data.documents.values() if d.document.named not in (None, d.document.docid)]
        return sorted((d for d in found if d.document.collection == collection), key=lambda d: d.document.path)

    def date_orders(self, collection: str) -> list[tuple[str, str]]:
        documents = (d.document for d in self._data.documents.values() if d.document.collection == collection)
        return sorted((one.dates, one.path) for one in documents if one.dates is not None)

    def skipped(self) -> list[Skipped]:
        found = (item for items in self._data.skipped.values() for item in items)
        return sorted(found, key=lambda item: (item.collection, item.path))

    def collections(self) -> dict[str, CollectionState]:
        counts: dict[str, int] = {}
        for stored in self._data.documents.values():
            counts[stored.document.collection] = counts.get(stored.document.collection, 0) + 1
        states = sorted(self._data.collections.items())
        return {name: replace(state, documents=counts.get(name, 0)) for name, state in states}
