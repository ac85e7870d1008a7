"""What a lane needs to find and judge fragments."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from hearth.ports import Filter, Posting, Rows, Statistics, TermRow, WantedTerm
from hearth.store.memory.readers.base import InMemoryBase
from hearth.text.packed import Packed

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
