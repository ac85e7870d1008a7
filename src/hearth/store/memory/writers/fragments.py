"""What is derived from a document's text: its fragments with their postings and terms."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hearth.model.fragment import AnalyzedFragment
from hearth.ports import Posting, StoredFragment, TermRow
from hearth.store.memory.readers.base import InMemoryBase
from hearth.text.packed import Packed, pack


class InMemoryFragmentWriter(InMemoryBase):
    """Puts and clears what a document itself does not hold."""

    def _put_fragments(self, document: int, fragments: Sequence[AnalyzedFragment], *, keep: bool) -> tuple[int, ...]:
        """The ids of the fragments, in place of those that the document had; where ``keep``, one that is as it was
        stays."""
        data = self._data
        known = {replace(data.fragments[row], id=0): row for row in data.parts.get(document, ()) if keep}
        made = [_shape(document, item) for item in fragments]
        self._clear(document, {known[stored] for stored in made if stored in known})
        pairs = zip(made, fragments, strict=True)
        return tuple(known.get(stored) or self._put_fragment(stored, item) for stored, item in pairs)

    def _put_fragment(self, stored: StoredFragment, item: AnalyzedFragment) -> int:
        data = self._data
        data.last_fragment += 1
        identity = data.last_fragment
        posting = pack((self._term(term), count) for term, count in sorted(item.terms.items()))
        data.fragments[identity] = replace(stored, id=identity)
        data.postings[identity] = Posting(identity, stored.document, item.length, posting)
        packed = Packed(posting)
        strong = frozenset(packed.strong_ids())
        for term in packed.ids():
            self._count(term, 1, int(term in strong))
        data.length += item.length
        return identity

    def _term(self, term: str) -> int:
        data = self._data
        if term not in data.terms:
            row = TermRow(term, len(data.terms) + 1, 0, 0)
            data.terms[term], data.term_names[row.id] = row, term
        return data.terms[term].id

    def _count(self, identity: int, df: int, strong: int) -> None:
        term = self._data.term_names[identity]
        row = self._data.terms[term]
        self._data.terms[term] = TermRow(term, identity, row.df + df, row.strong + strong)

    def _clear(self, document: int, kept: Collection[int] = ()) -> None:
        """Removes everything derived from a document, its row and the fragments that are ``kept`` excepted."""
        data = self._data
        data.mentions.pop(document, None)
        data.written.pop(document, None)
        data.named.pop(document, None)
        for fragment in data.parts.pop(document, ()):
            if fragment in kept:
                continue
            del data.fragments[fragment]
            posting = data.postings.pop(fragment)
            packed = Packed(posting.packed)
            strong = frozenset(packed.strong_ids())
            for term in packed.ids():
                self._count(term, -1, -int(term in strong))
            data.length -= posting.length
            for held in data.vectors.values():
                data.vector_removals += held.pop(fragment, None) is not None
            for key in [key for key in data.failures if key[1] == fragment]:
                del data.failures[key]


def _shape(document: int, item: AnalyzedFragment) -> StoredFragment:
    """Still without a number: equal where nothing of a fragment has changed, as long as its document has the same names
    and language."""
    part = item.fragment
    lines, offsets = (part.start_line, part.end_line), (item.start_byte, item.end_byte)
    return StoredFragment(0, document, part.seq, part.kind, *lines, *offsets, part.headings, part.context, part.text)
