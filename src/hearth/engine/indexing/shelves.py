"""Shelves: folders of so many documents without any date that they are a manual, and nobody's diary.

They are told by what the index holds, at the end of each scan, so that a folder that was never set up by hand counts as
reference all the same, and stops to once somebody writes in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from hearth.ports import CollectionReader, PositionReader, Store

LEAST = 2_001
"""Documents from which on a folder is one."""
_KEY = "shelves"

Shelf = tuple[str, str]
"""A collection and the path of a folder in it, empty for all of the collection."""


def note_shelves(store: Store, scanned: Iterable[str], *, changed: bool) -> None:
    """Looks through the collections that were ``scanned``, unless nothing ``changed`` and it is known already."""
    with store.read() as reader:
        text = reader.meta(_KEY)
        if text is not None and not changed:
            return
        names = set(scanned)
        there = reader.collections()
        kept = [shelf for shelf in list_shelves(reader) if shelf[0] in there and shelf[0] not in names]
        found = [(name, folder) for name in names & there.keys() for folder in _find(reader, name)]
        told = json.dumps(sorted([*kept, *found]))
    if told != text:
        with store.write() as writer:
            writer.set_meta(_KEY, told)


def list_shelves(reader: PositionReader) -> tuple[Shelf, ...]:
    """Those that the last scan found."""
    return tuple((name, folder) for name, folder in json.loads(reader.meta(_KEY) or "[]"))


def _find(reader: CollectionReader, collection: str) -> Iterator[str]:
    """From the top down: below a shelf there is no other."""
    waiting = [""] if reader.collections()[collection].documents >= LEAST else []
    while waiting:
        folder = waiting.pop()
        if reader.has_dated(collection, folder):
            waiting.extend(reader.folders(collection, folder, LEAST))
        else:
            yield folder
