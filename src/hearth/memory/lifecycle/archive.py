"""The archive, the documents of a vault a few hundred at a time, and the best of a long list."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, TypeVar, cast

from hearth.core.document import VEILS
from hearth.core.journal import instant
from hearth.memory.sessions.statistics import back, origins
from hearth.ports import (
    DocumentReader,
    Filter,
    Posting,
    PostingReader,
    Reader,
    Rows,
    StateReader,
    Store,
    StoredDocument,
    WantedTerm,
)
from hearth.ports.store import every_document

SIZE = 500


def documents(reader: Reader, collections: Iterable[str]) -> Iterator[StoredDocument]:
    """Every document of the collections, hidden ones too, in the order in which the index holds them."""
    names = tuple(collections)
    if names:
        yield from every_document(reader, Filter(collections=names, include_hidden=True))


def archived(reader: Reader) -> Iterator[StoredDocument]:
    """What is archived and not forgotten."""
    return by_row(reader, archived_rows(reader))


def archived_rows(reader: PostingReader) -> frozenset[int]:
    """Rows of ``archived``: what stays out of a search that includes all else, less what stays out of one that
    includes that, too."""
    others = tuple(veil for veil in VEILS[1:] if veil != "archived")
    return left_out(reader, others) - left_out(reader, VEILS[1:])


def left_out(reader: PostingReader, include: tuple[str, ...]) -> frozenset[int]:
    """Rows that stay out of a search that includes these states."""
    rows = reader.rows(Filter(include=include))
    return frozenset() if rows is None else rows.ids


def by_row(reader: DocumentReader, rows: Iterable[int]) -> Iterator[StoredDocument]:
    ordered = sorted(rows)
    for start in range(0, len(ordered), SIZE):
        page = ordered[start : start + SIZE]
        found = reader.documents(page)
        yield from (found[row] for row in page if row in found)


def since(reader: StateReader) -> Callable[[str], int | None]:
    """When a document was last archived or restored (ms UTC): the time in the id of the event that said so, under its
    present or a former identity."""

    @cache
    def moved() -> Mapping[str, Any]:
        return origins(reader)

    def asked(docid: str) -> int | None:
        events = (reader.set_by(name, "archived") for name in back(docid, lambda name: moved().get(name)))
        return next((instant(event) for event in events if event is not None), None)

    return asked


Item = TypeVar("Item")


class Best(Generic[Item]):
    """Keeps the ``limit`` items of the least keys; ``count`` is how many there were."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[tuple[tuple[float, str], Item]] = []
        self.count = 0

    def add(self, key: tuple[float, str], item: Item) -> None:
        self.count += 1
        bisect.insort(self._kept, (key, item), key=lambda entry: entry[0])
        del self._kept[self._limit :]

    @property
    def items(self) -> tuple[Item, ...]:
        """The least key first."""
        return tuple(item for _, item in self._kept)


_MORE = 4


class ArchiveStore:
    """Opens readers that find archived documents only."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self._store.read() as reader:
            yield cast(Reader, _ArchiveReader(reader, archived_rows(reader)))

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
