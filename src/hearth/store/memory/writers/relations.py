"""How documents hang together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hearth.model.graph.relation import FILE, LINKS, DocumentRelation
from hearth.ports import MeanVector
from hearth.store.memory.writers.fragments import InMemoryFragmentWriter


class InMemoryRelationWriter(InMemoryFragmentWriter):
    """Implements ``ports.RelationWriter``."""

    def set_relations(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[str, tuple[int, int]]:
        owner = self._data.by_docid.get(docid)
        if owner is None:
            return dict.fromkeys(relations, (0, 0))
        owned = self._data.relations.setdefault(owner, {})
        changes = {}
        for origin, found in relations.items():
            before = set(owned.get(origin, ()))
            rows = dict.fromkeys(one._replace(origin=origin) for one in found)
            owned[origin] = tuple(rows)
            changes[origin] = len(rows.keys() - before), len(before - rows.keys())
        return changes

    def set_links(self, docid: str, links: Iterable[DocumentRelation]) -> None:
        rows = list(links)
        self.set_relations(docid, {origin: [one for one in rows if one.origin == origin] for origin in (LINKS, FILE)})
        self._data.unlinked.discard(self._data.by_docid.get(docid, 0))

    def set_mark(self, docids: Iterable[str], mark: str) -> None:
        for docid in docids:
            if (row := self._data.by_docid.get(docid)) is not None:
                self._data.marks[row] = mark

    def clear_marks(self, documents: Iterable[int]) -> None:
        for document in documents:
            self._data.marks.pop(document, None)

    def set_means(self, means: Iterable[MeanVector]) -> None:
        self._data.means.update((one.document, one) for one in means)

    def set_reach(self, reaches: Mapping[int, float]) -> None:
        for document, reach in reaches.items():
            if (mean := self._data.means.get(document)) is not None:
                self._data.means[document] = replace(mean, reach=reach)

    def drop_means(self, documents: Iterable[int] | None = None) -> None:
        for document in list(self._data.means) if documents is None else documents:
            self._data.means.pop(document, None)

    def set_background(self, key: str, value: str) -> None:
        self._data.meta[key] = value

    def _drop_relations(self, owner: int, docid: str | None = None) -> None:
        """What was derived from a document, and with ``docid`` what has it at an end: whatever that was derived from is
        to be looked at again. What files name stays until their links are resolved again."""
        own = self._data.relations.get(owner, {})
        self._data.relations[owner] = {origin: rows for origin, rows in own.items() if origin in (LINKS, FILE)}
        self._data.marks.pop(owner, None)
        if docid is None:
            return
        for row, owned in self._data.relations.items():
            for origin, rows in owned.items():
                if origin in (LINKS, FILE):
                    continue
                kept = tuple(one for one in rows if docid not in (one.source, one.target))
                if kept != rows:
                    owned[origin] = kept
                    self._data.marks.pop(row, None)
