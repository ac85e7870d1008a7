"""What was found in the folders."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.ports import CollectionState, Skipped
from hearth.store.memory.readers.collections import InMemoryCollectionReader
from hearth.store.memory.writers.documents import InMemoryDocumentWriter


class InMemoryCollectionWriter(InMemoryDocumentWriter, InMemoryCollectionReader):
    """Implements ``ports.CollectionWriter``; a collection takes its documents along."""

    def set_collection(self, state: CollectionState) -> None:
        self._data.collections[state.name] = state

    def drop_collection(self, name: str) -> None:
        for file in self.files(name).values():
            self.remove(file.docid)
        self._data.collections.pop(name, None)
        self._data.skipped.pop(name, None)

    def set_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None:
        self._data.skipped[collection] = tuple(skipped)
