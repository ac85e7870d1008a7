"""Pages: the documents of a vault a few hundred at a time, so that a large one needs little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from hearth.engine.usage.identities import back, origins
from hearth.model.document import VEILS
from hearth.model.journal.event import instant
from hearth.ports import DocumentReader, Filter, PostingReader, Reader, StateReader, StoredDocument

SIZE = 500


def documents(reader: Reader, collections: Iterable[str]) -> Iterator[StoredDocument]:
    """Every document of the collections, hidden ones too, in the order in which the index holds them."""
    names = tuple(collections)
    rows = reader.rows(Filter(collections=names, include_hidden=True)) if names else None
    if rows is not None:
        yield from by_row(reader, rows.ids)


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
