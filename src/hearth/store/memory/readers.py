"""Reading the index in memory: documents, fragments, links, collections, postings."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hearth.core.graph import FILE, LINKS
from hearth.markdown.links import stem
from hearth.ports import (
    CollectionState,
    Filter,
    IndexedFile,
    Posting,
    Rows,
    Skipped,
    Statistics,
    StoredDocument,
    StoredFragment,
    TermRow,
    UnsettledNote,
    WantedTerm,
)
from hearth.store.memory.data import Data, admits, dated_within
from hearth.text.packed import Packed


class InMemoryBase:
    """Reads one published state."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def _fitting(self, within: Filter) -> Iterator[StoredDocument]:
        return (stored for stored in self._data.documents.values() if admits(within, stored))

    def _admit(self, within: Filter) -> set[int]:
        return {stored.id for stored in self._fitting(within)}


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


class InMemoryDocumentReader(InMemoryBase):
    """Implements ``ports.DocumentReader``."""

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
        found = [d for d in self._fitting(within) if d.document.dated_at is not None and dated_within(d, start, end)]
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

    def docids(self) -> dict[str, tuple[str, str]]:
        documents = (stored.document for stored in self._data.documents.values())
        return {document.docid: (document.collection, document.path) for document in documents}


def _moment(stored: StoredDocument) -> tuple[int, str]:
    return stored.document.dated_at or 0, stored.document.docid


class InMemoryFragmentReader(InMemoryBase):
    """Implements ``ports.FragmentReader``."""

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]:
        return {row: self._data.fragments[row] for row in ids if row in self._data.fragments}

    def fragments_after(self, fragment: int, limit: int) -> list[StoredFragment]:
        rows = heapq.nsmallest(limit, (row for row in self._data.fragments if row > fragment))
        return [self._data.fragments[row] for row in rows]

    def fragments_of(self, document: int) -> list[StoredFragment]:
        found = (self._data.fragments[row] for row in self._data.parts.get(document, ()))
        return sorted(found, key=lambda fragment: fragment.seq)


class InMemoryLinkReader(InMemoryBase):
    """Implements ``ports.LinkReader``."""

    def links_to(self, docid: str, kind: str = "references") -> list[str]:
        rows = (row for row in self._data.relations if docid in self._named_by(row, kind))
        return sorted(self._data.documents[row].document.docid for row in rows)

    def links_of(self, docid: str, kind: str = "references") -> list[str]:
        row = self._data.by_docid.get(docid)
        return [] if row is None else sorted(self._named_by(row, kind))

    def _named_by(self, row: int, kind: str) -> set[str]:
        owned = self._data.relations.get(row, {})
        return {one.target for origin in (LINKS, FILE) for one in owned.get(origin, ()) if one.type == kind}

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        data = self._data
        rows = (row for row in data.unlinked if data.documents[row].document.collection == collection)
        return [(data.documents[row], data.written.get(row, ())) for row in heapq.nsmallest(limit, rows)]

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        wanted = set(stems)
        documents = (stored.document for stored in self._data.documents.values())
        fitting = (d for d in documents if d.collection == collection and stem(d.path) in wanted)
        return {document.path: document.docid for document in fitting}


# What a term's standing prominently adds to its weight when candidates are chosen.
STRONG = 0.5


class InMemoryPostingReader(InMemoryBase):
    """Implements ``ports.PostingReader``."""

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

    def match(self, wanted: Sequence[WantedTerm], within: Filter, limit: int) -> list[int]:
        weights: dict[int, float] = {}
        for posting in self._data.postings.values():
            packed = Packed(posting.packed)
            strong = frozenset(packed.strong_ids())
            for term in wanted:
                if not term.strong_only and packed.counts(term.row.id) is not None:
                    weights[posting.fragment] = weights.get(posting.fragment, 0.0) + term.weight
                if term.row.id in strong:
                    extra = term.weight * (1 + STRONG if term.strong_only else STRONG)
                    weights[posting.fragment] = weights.get(posting.fragment, 0.0) + extra
        admitted = self._admit(within)
        found = ((weight, row) for row, weight in weights.items() if self._data.postings[row].document in admitted)
        return [row for _, row in heapq.nlargest(limit, found)]

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]:
        admitted = self._admit(within)
        found = (self._data.postings.get(row) for row in sorted(set(fragments)))
        return [posting for posting in found if posting is not None and posting.document in admitted]

    def rows(self, within: Filter) -> Rows | None:
        if within.narrow:
            return Rows(frozenset(self._admit(within)), only=True)
        left_out = self._data.documents.keys() - self._admit(within)
        return Rows(frozenset(left_out), only=False) if left_out else None
