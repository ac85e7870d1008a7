"""What is derived from a document's text: its fragments with their postings and terms."""

from __future__ import annotations

from hearth.model.fragment import AnalyzedFragment
from hearth.ports import Posting, StoredFragment, TermRow
from hearth.store.memory.readers.base import InMemoryBase
from hearth.text.packed import Packed, pack, prominent


class InMemoryFragmentWriter(InMemoryBase):
    """Puts and clears what a document itself does not hold."""

    def _put_fragment(self, document: int, item: AnalyzedFragment) -> int:
        data, part = self._data, item.fragment
        data.last_fragment += 1
        identity = data.last_fragment
        lines, offsets = (part.start_line, part.end_line), (item.start_byte, item.end_byte)
        data.fragments[identity] = StoredFragment(
            identity, document, part.seq, part.kind, *lines, *offsets, part.headings, part.context, part.text
        )
        counts = [(self._term(term), count) for term, count in sorted(item.terms.items())]
        for term, count in counts:
            self._count(term, 1, int(prominent(count)))
        data.postings[identity] = Posting(identity, document, item.length, pack(counts))
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

    def _clear(self, document: int) -> None:
        """Removes everything derived from a document, its row excepted."""
        data = self._data
        data.mentions.pop(document, None)
        data.written.pop(document, None)
        data.named.pop(document, None)
        for fragment in data.parts.pop(document, ()):
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
