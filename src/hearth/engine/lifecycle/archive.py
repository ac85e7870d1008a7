"""The archive as an index of its own: the same lanes and ranking over what is archived and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from hearth.engine.lifecycle import pages
from hearth.ports import Filter, Posting, Reader, Rows, Store, WantedTerm

_MORE = 4


class ArchiveStore:
    """Opens readers that find archived documents only."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self._store.read() as reader:
            yield cast(Reader, _ArchiveReader(reader, pages.archived_rows(reader)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _ArchiveReader:
    """Narrows what finds candidates; everything else is the reader's own. Filters have to include what is archived."""

    def __init__(self, reader: Reader, archived: frozenset[int]) -> None:
        self._reader = reader
        self._archived = archived

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def match(self, wanted: Sequence[WantedTerm], within: Filter, limit: int) -> list[int]:
        """Asks for more until enough of it is archived or there is no more."""
        asked = limit
        while True:
            found = self._reader.match(wanted, within, asked)
            kept = {posting.fragment for posting in self.postings(found, within)}
            if len(kept) >= limit or len(found) < asked:
                return [fragment for fragment in found if fragment in kept][:limit]
            asked *= _MORE

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]:
        return [p for p in self._reader.postings(fragments, within) if p.document in self._archived]

    def rows(self, within: Filter) -> Rows:
        admitted = self._reader.rows(within)
        if admitted is None:
            return Rows(self._archived, only=True)
        return Rows(frozenset(row for row in self._archived if admitted.admits(row)), only=True)

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        asked = limit
        while True:
            found = self._reader.documents_between(start, end, within, asked)
            kept = [row for row in found if row in self._archived]
            if len(kept) >= limit or len(found) < asked:
                return kept[:limit]
            asked *= _MORE
