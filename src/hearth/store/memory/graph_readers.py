"""Reading the index in memory: names, relations, states and vectors; and all of it as one reader."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.core.document import Document
from hearth.core.graph import DocumentRelation, HeldName, NamedEntity
from hearth.core.journal import Register
from hearth.core.subjects import name_noticed
from hearth.graph.resolve import key_of
from hearth.ports import Failure, Filter, MeanVector, StoredDocument, StoredFragment, VectorBlock
from hearth.store.memory.readers import (
    InMemoryBase,
    InMemoryCollectionReader,
    InMemoryDocumentReader,
    InMemoryFragmentReader,
    InMemoryLinkReader,
    InMemoryPostingReader,
)

if TYPE_CHECKING:
    from hearth.store.memory.data import Vector


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


class InMemoryRelationReader(InMemoryBase):
    """Implements ``ports.RelationReader``."""

    def relations_of(self, docids: Sequence[str], types: Sequence[str] = ()) -> list[DocumentRelation]:
        wanted = set(docids)
        rows = (one for owned in self._data.relations.values() for rows in owned.values() for one in rows)
        found = [
            one for one in rows if (one.source in wanted or one.target in wanted) and (not types or one.type in types)
        ]
        return sorted(found, key=lambda one: (one.source, one.type, one.target, one.origin))

    def said_of(self, docids: Sequence[str]) -> list[Register]:
        return self._data.folded.said_of(docids)

    def admitted(self, docids: Sequence[str], within: Filter) -> dict[str, int]:
        wanted = set(docids)
        rows = ((stored.document.docid, stored.id) for stored in self._fitting(within))
        return {docid: row for docid, row in rows if docid in wanted}

    def unmarked(self, mark: str, limit: int | None = None, after: int = 0) -> list[int]:
        return [stored.id for stored in self._unmarked(mark) if stored.id > after][:limit]

    def count_unmarked(self, mark: str) -> int:
        return len(self._unmarked(mark))

    def earlier(self, docid: str, types: Sequence[str] = ()) -> StoredDocument | None:
        line, here = self._line(docid, types)
        return max((one for one in line.items() if one[0] < here), default=(here, None))[1]

    def later(self, docid: str, types: Sequence[str] = ()) -> StoredDocument | None:
        line, here = self._line(docid, types)
        return min((one for one in line.items() if one[0] > here), default=(here, None))[1]

    def _line(self, docid: str, types: Sequence[str]) -> tuple[dict[tuple[int, str], StoredDocument], tuple[int, str]]:
        """The dated documents of its project, by date and docid, and its own place."""
        row = self._data.by_docid.get(docid)
        focus = None if row is None else self._data.documents[row].document
        if focus is None or focus.dated_at is None:
            return {}, (0, docid)
        line = {
            (one.document.dated_at, one.document.docid): one
            for one in self._data.documents.values()
            if one.document.dated_at is not None and _project(one.document) == _project(focus)
            if one.document.title and (not types or one.document.content_type in types)
        }
        return line, (focus.dated_at, docid)

    def means(self) -> list[MeanVector]:
        means = sorted(self._data.means.items())
        return [replace(one, gone=row not in self._data.documents) for row, one in means]

    def _unmarked(self, mark: str) -> list[StoredDocument]:
        marks = self._data.marks
        rows = sorted(self._data.documents.items())
        return [stored for row, stored in rows if marks.get(row) != mark and not stored.vanished]


def _project(document: Document) -> str:
    return document.facts.get("project", document.collection)


class InMemoryPositionReader(InMemoryBase):
    """Implements ``ports.PositionReader``."""

    def folded(self) -> str:
        return self._data.folded.dump()

    def journal_position(self) -> dict[str, Any]:
        text = self.meta("journal")
        return json.loads(text) if text else {}

    def meta(self, key: str) -> str | None:
        return self._data.meta.get(key)


class InMemorySpaceReader(InMemoryBase):
    """Implements ``ports.SpaceReader``."""

    def missing_vectors(self, space: str, limit: int, max_tries: int, after: int = 0) -> list[StoredFragment]:
        held = self._data.vectors.get(space, {})
        tries = {failure.fragment: failure.tries for failure in self.failures(space)}
        lacking = (
            row for row in self._data.fragments if row > after and row not in held and tries.get(row, 0) < max_tries
        )
        return [self._data.fragments[row] for row in heapq.nsmallest(limit, lacking)]

    def spaces(self) -> list[str]:
        held = {space for space, vectors in self._data.vectors.items() if vectors}
        return sorted(held | {space for space, _ in self._data.failures})

    def lacking(self, space: str) -> list[int]:
        return sorted(self._data.fragments.keys() - self._data.vectors.get(space, {}).keys())

    def failures(self, space: str) -> list[Failure]:
        found = [failure for (name, _), failure in self._data.failures.items() if name == space]
        return sorted(found, key=lambda failure: failure.fragment)


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


class InMemoryVectorReader(InMemoryBase):
    """Implements ``ports.VectorReader``."""

    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        return _block([(row, held[row]) for row in sorted(held) if row > after])

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        return _block([(row, held[row]) for row in sorted(set(fragments)) if row in held])

    def vectors_within(self, space: str, documents: Sequence[int], most: int) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        rows: list[tuple[int, Vector]] = []
        for document in sorted(set(documents)):
            parts = sorted(self._data.parts.get(document, ()), key=lambda part: self._data.fragments[part].seq)
            if all(part in held for part in parts):
                rows.extend((part, held[part]) for part in parts[:most])
        return _block(rows)

    def vector_removals(self) -> int:
        return self._data.vector_removals

    def last_vector(self, space: str) -> int:
        return max(self._data.vectors.get(space, {}), default=0)

    def vector_count(self, space: str | None = None) -> int:
        return sum(len(vectors) for name, vectors in self._data.vectors.items() if space in (None, name))


def _block(rows: list[tuple[int, Vector]]) -> VectorBlock:
    import numpy as np

    vectors = [vector for _, vector in rows]
    return VectorBlock(
        np.array([row for row, _ in rows], dtype=np.int64),
        np.array([vector.document for vector in vectors], dtype=np.int64),
        np.vstack([vector.levels for vector in vectors]) if rows else np.empty((0, 0), dtype=np.int8),
        np.array([vector.scale for vector in vectors], dtype=np.float32),
    )


class InMemoryReader(
    InMemoryDocumentReader,
    InMemoryLinkReader,
    InMemoryRelationReader,
    InMemoryEntityReader,
    InMemoryFragmentReader,
    InMemoryPostingReader,
    InMemoryCollectionReader,
    InMemoryVectorReader,
    InMemorySpaceReader,
    InMemoryStateReader,
    InMemoryPositionReader,
):
    """Implements ``ports.Reader`` over one published state."""
