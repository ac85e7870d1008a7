"""The names in fragments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hearth.graph.resolve import key_of
from hearth.model.graph.entity import HeldName, NamedEntity
from hearth.ports import Filter, StoredDocument
from hearth.store.memory.readers.base import InMemoryBase


class InMemoryEntityReader(InMemoryBase):
    """Implements ``ports.EntityReader`` and ``ports.MentionReader``."""

    def unread(self, mark: str, limit: int | None = None) -> list[int]:
        return [stored.id for stored in self._unread(mark)][:limit]

    def count_unread(self, mark: str) -> int:
        return len(self._unread(mark))

    def held_names(self, limit: int, kind: str | None = None, part: str = "") -> list[HeldName]:
        counts = Counter(entity for _, rows in self._data.entities.values() for entity in {one for _, one in rows})
        held = [HeldName(key_of(one.name), one.name, one.type, count) for one, count in counts.items()]
        found = [one for one in held if kind in (None, one.type) and part in one.key]
        found.sort(key=lambda one: (one.name, one.type))
        return sorted(found, key=lambda one: (one.documents, one.key), reverse=True)[:limit]

    def naming(self, keys: Sequence[str], within: Filter, limit: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for stored in sorted(self._fitting(within), key=lambda one: one.document.newest_first):
            rows = self._data.entities.get(stored.id, ("", ()))[1]
            hits = {fragment for fragment, one in rows if key_of(one.name) in keys}
            found += [(stored.id, fragment) for fragment in sorted(hits)]
        return found[:limit]

    def count_naming(self, keys: Sequence[str], within: Filter, most: int | None = None) -> int:
        found = {document for document, _ in self.naming(keys, within, len(self._data.fragments))}
        return len(found) if most is None else min(most, len(found))

    def entities_of(self, document: int) -> list[tuple[int, NamedEntity]]:
        return list(self._data.entities.get(document, ("", ()))[1])

    def names_in(self, documents: Sequence[int]) -> dict[int, dict[str, int]]:
        counts: Counter[str] = Counter()
        for _, rows in self._data.entities.values():
            counts.update(key_of(one.name) for one in {one for _, one in rows})
        found: dict[int, dict[str, int]] = {}
        for document in sorted(set(documents)):
            keys = sorted({key_of(one.name) for _, one in self._data.entities.get(document, ("", ()))[1]})
            if keys:
                found[document] = {key: counts[key] for key in keys}
        return found

    def count_names(self, keys: Sequence[str], types: Sequence[str]) -> dict[str, int]:
        wanted = set(keys)
        held = (one for _, rows in self._data.entities.values() for one in {one for _, one in rows})
        return dict(Counter(key for one in held if one.type in types and (key := key_of(one.name)) in wanted))

    def holding(self, keys: Sequence[str], documents: Sequence[int]) -> dict[int, set[str]]:
        wanted = set(keys)
        rows = ((document, self._data.entities.get(document, ("", ()))[1]) for document in sorted(set(documents)))
        held = ((document, {key_of(one.name) for _, one in names} & wanted) for document, names in rows)
        return {document: names for document, names in held if names}

    def holders_of(self, keys: Sequence[str], within: Filter) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for stored in self._fitting(within):
            _, rows = self._data.entities.get(stored.id, ("", ()))
            for key in {key_of(one.name) for _, one in rows} & set(keys):
                found.setdefault(key, []).append(stored.document.docid)
        return {key: sorted(found[key]) for key in sorted(found)}

    def _unread(self, mark: str) -> list[StoredDocument]:
        rows = sorted(self._data.documents.items())
        known = self._data.entities
        return [one for row, one in rows if known.get(row, ("", ()))[0] != mark and not one.vanished]
