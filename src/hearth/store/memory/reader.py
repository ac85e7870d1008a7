"""Reading the index in memory."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.markdown.links import stem
from hearth.model.identity import INTERNAL, normal_path
from hearth.ports import (
    CollectionState,
    Failure,
    Filter,
    IndexedFile,
    Posting,
    Rows,
    Skipped,
    Statistics,
    StoredDocument,
    StoredFragment,
    TermRow,
    VectorBlock,
    tag_prefix,
)
from hearth.store.memory.data import Data
from hearth.text.packed import Packed

if TYPE_CHECKING:
    from hearth.store.memory.data import Vector

# What a term's standing prominently adds to its weight when candidates are chosen.
STRONG = 0.5


class MemoryReader:
    """Implements ``ports.Reader`` over one published state."""

    def __init__(self, data: Data) -> None:
        self._data = data

    # -- corpus ----------------------------------------------------------------------------------------------------

    def statistics(self) -> Statistics:
        data = self._data
        languages = tuple(sorted({stored.document.language for stored in data.documents.values()}))
        return Statistics(data.generation, len(data.documents), len(data.fragments), data.length, languages)

    def terms(self, terms: Iterable[str]) -> dict[str, TermRow]:
        found = ((term, self._data.terms.get(term)) for term in terms)
        return {term: row for term, row in found if row is not None and row.df > 0}

    def terms_with_prefix(self, prefix: str, limit: int) -> list[TermRow]:
        found = [row for term, row in self._data.terms.items() if term.startswith(prefix) and row.df > 0]
        return sorted(found, key=lambda row: (-row.df, row.term))[:limit]

    def match(self, tokens: Sequence[tuple[int, bool, float]], within: Filter, limit: int) -> list[int]:
        weights: dict[int, float] = {}
        for posting in self._data.postings.values():
            packed = Packed(posting.packed)
            strong = frozenset(packed.strong_ids())
            for term, strong_only, weight in tokens:
                if not strong_only and packed.counts(term) is not None:
                    weights[posting.fragment] = weights.get(posting.fragment, 0.0) + weight
                if term in strong:
                    extra = weight * (1 + STRONG if strong_only else STRONG)
                    weights[posting.fragment] = weights.get(posting.fragment, 0.0) + extra
        admitted = self._admitted(within)
        found = ((weight, row) for row, weight in weights.items() if self._data.postings[row].document in admitted)
        return [row for _, row in heapq.nlargest(limit, found)]

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]:
        admitted = self._admitted(within)
        found = (self._data.postings.get(row) for row in sorted(set(fragments)))
        return [posting for posting in found if posting is not None and posting.document in admitted]

    # -- fragments and documents -----------------------------------------------------------------------------------

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]:
        return {row: self._data.fragments[row] for row in ids if row in self._data.fragments}

    def fragments_after(self, fragment: int, limit: int) -> list[StoredFragment]:
        rows = heapq.nsmallest(limit, (row for row in self._data.fragments if row > fragment))
        return [self._data.fragments[row] for row in rows]

    def fragments_of(self, document: int) -> list[StoredFragment]:
        found = (self._data.fragments[row] for row in self._data.parts.get(document, ()))
        return sorted(found, key=lambda fragment: fragment.seq)

    def documents(self, ids: Sequence[int]) -> dict[int, StoredDocument]:
        return {row: self._data.documents[row] for row in ids if row in self._data.documents}

    def document(self, docid: str) -> StoredDocument | None:
        row = self._data.by_docid.get(docid)
        return None if row is None else self._data.documents[row]

    def find_documents(self, within: Filter, limit: int | None = None) -> list[StoredDocument]:
        found = sorted(self._fitting(within), key=lambda d: (d.document.collection, d.document.path))
        return found[:limit]

    def called(self, keys: Sequence[str], within: Filter, limit: int) -> list[int]:
        found = [
            (key, stored.id)
            for stored in self._fitting(within)
            if stored.id in self._data.named
            for key in self._data.named[stored.id].intersection(keys)
        ]
        return list(dict.fromkeys(row for _, row in sorted(found)))[:limit]

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        middle = (start + end) // 2
        found = [d for d in self._fitting(within) if d.document.dated_at is not None and _within(d, start, end)]
        found.sort(key=lambda d: (abs((d.document.dated_at or 0) - middle), d.document.docid))
        return [stored.id for stored in found[:limit]]

    def reviewable(self, before: int) -> list[StoredDocument]:
        dated = ((d.document.review_by, d.document.docid, d) for d in self._data.documents.values())
        due = [(at, docid, d) for at, docid, d in dated if at is not None and at < before]
        return [d for _, _, d in sorted(due, key=lambda row: row[:2])]

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]:
        focus = self._data.documents.get(document)
        if focus is None:
            return []
        if focus.document.dated_at is None:
            return [focus]
        dated = (d for d in self._fitting(within) if d.document.dated_at is not None)
        line = sorted({d.id: d for d in (focus, *dated)}.values(), key=_moment)
        at = line.index(focus)
        return line[max(0, at - before) : at + after + 1]

    def rows(self, within: Filter) -> Rows | None:
        if within.narrow:
            return Rows(frozenset(self._admitted(within)), only=True)
        left_out = self._data.documents.keys() - self._admitted(within)
        return Rows(frozenset(left_out), only=False) if left_out else None

    def _fitting(self, within: Filter) -> Iterator[StoredDocument]:
        return (stored for stored in self._data.documents.values() if admits(within, stored))

    def _admitted(self, within: Filter) -> set[int]:
        return {stored.id for stored in self._fitting(within)}

    # -- sync ------------------------------------------------------------------------------------------------------

    def files(self, collection: str) -> dict[str, IndexedFile]:
        stored = (d for d in self._data.documents.values() if d.document.collection == collection)
        return {d.document.path: d.indexed for d in stored}

    def docids(self) -> dict[str, tuple[str, str]]:
        documents = (stored.document for stored in self._data.documents.values())
        return {document.docid: (document.collection, document.path) for document in documents}

    def skipped(self) -> list[Skipped]:
        found = (item for items in self._data.skipped.values() for item in items)
        return sorted(found, key=lambda item: (item.collection, item.path))

    def collections(self) -> dict[str, CollectionState]:
        counts: dict[str, int] = {}
        for stored in self._data.documents.values():
            counts[stored.document.collection] = counts.get(stored.document.collection, 0) + 1
        states = sorted(self._data.collections.items())
        return {name: replace(state, documents=counts.get(name, 0)) for name, state in states}

    def links_to(self, docid: str) -> list[str]:
        rows = (row for row, targets in self._data.links.items() if docid in targets)
        return sorted(self._data.documents[row].document.docid for row in rows)

    def links_of(self, docid: str) -> list[str]:
        row = self._data.by_docid.get(docid)
        return [] if row is None else sorted(self._data.links.get(row, ()))

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        data = self._data
        rows = (row for row in data.unlinked if data.documents[row].document.collection == collection)
        return [(data.documents[row], data.written.get(row, ())) for row in heapq.nsmallest(limit, rows)]

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        wanted = set(stems)
        documents = (stored.document for stored in self._data.documents.values())
        fitting = (d for d in documents if d.collection == collection and stem(d.path) in wanted)
        return {document.path: document.docid for document in fitting}

    # -- vectors ---------------------------------------------------------------------------------------------------

    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        return _block([(row, held[row]) for row in sorted(held) if row > after])

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        held = self._data.vectors.get(space, {})
        return _block([(row, held[row]) for row in sorted(set(fragments)) if row in held])

    def vector_removals(self) -> int:
        return self._data.vector_removals

    def last_vector(self, space: str) -> int:
        return max(self._data.vectors.get(space, {}), default=0)

    def vector_count(self, space: str | None = None) -> int:
        return sum(len(vectors) for name, vectors in self._data.vectors.items() if space in (None, name))

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

    # -- journal ---------------------------------------------------------------------------------------------------

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

    def holders(self, field: str) -> dict[str, Any]:
        return self._data.folded.holders(field)

    def folded(self) -> str:
        return self._data.folded.dump()

    def journal_position(self) -> dict[str, Any]:
        text = self.meta("journal")
        return json.loads(text) if text else {}

    def meta(self, key: str) -> str | None:
        return self._data.meta.get(key)


def admits(within: Filter, stored: StoredDocument) -> bool:
    """Whether a document may answer."""
    document = stored.document
    if stored.vanished or not (within.include_hidden or set(stored.state.veils).issubset(within.include)):
        return False
    if document.collection == INTERNAL and not within.include_internal:
        return False
    for value, wanted in ((document.collection, within.collections), (document.content_type, within.types)):
        if wanted and value not in wanted:
            return False
    if not _within(stored, within.since, within.until):
        return False
    path, tags = document.path.lower(), [tag.lower() + "/" for tag in document.tags]
    named = all(normal_path(part).lower() in path for part in within.paths)
    return named and all(any(tag.startswith(tag_prefix(wanted)) for tag in tags) for wanted in within.tags)


def _moment(stored: StoredDocument) -> tuple[int, str]:
    return stored.document.dated_at or 0, stored.document.docid


def _within(stored: StoredDocument, start: int | None, end: int | None) -> bool:
    dated = stored.document.dated_at
    if dated is None:
        return start is None and end is None
    return (start is None or start <= dated) and (end is None or dated < end)


def _block(rows: list[tuple[int, Vector]]) -> VectorBlock:
    import numpy as np

    vectors = [vector for _, vector in rows]
    return VectorBlock(
        np.array([row for row, _ in rows], dtype=np.int64),
        np.array([vector.document for vector in vectors], dtype=np.int64),
        np.vstack([vector.levels for vector in vectors]) if rows else np.empty((0, 0), dtype=np.int8),
        np.array([vector.scale for vector in vectors], dtype=np.float32),
    )
