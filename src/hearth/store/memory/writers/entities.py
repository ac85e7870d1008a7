"""The names in fragments."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.graph.entity import NamedEntity
from hearth.store.memory.writers.relations import InMemoryRelationWriter


class InMemoryEntityWriter(InMemoryRelationWriter):
    """Implements ``ports.EntityWriter``."""

    def set_entities(self, document: int, mark: str, found: Sequence[tuple[int, NamedEntity]]) -> bool:
        parts = self._data.parts.get(document, ())
        if document not in self._data.documents or not set(parts).issuperset(fragment for fragment, _ in found):
            return False
        self._data.entities[document] = (mark, tuple(sorted(set(found))))
        return True

    def _drop_entities(self, document: int) -> None:
        self._data.entities.pop(document, None)
