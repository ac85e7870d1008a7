"""The names in documents, read when their text has changed: beside the questions, never in a hook."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress

from hearth.core.errors import Unavailable
from hearth.core.graph import NamedEntity
from hearth.core.lazy import dataclass
from hearth.graph.name_reading import (
    DeclaredNames,
    NameFinder,
    find_declared_name,
    find_outdated,
    note_declared,
    note_known,
    read_known,
)
from hearth.ports import Reader, Store, StoredDocument
from hearth.ports.files import Spread
from hearth.vault.documents import DocumentTexts, find_unchanged, read_texts

MARK = "11"
"""Raise it where the rules of ``mentioned.reading``, or those of ``language.entities``, change."""
BULK_DOCUMENTS = 1_000
"""From so many on starting processes pays."""
# In one write transaction.
_BATCH = 64
# Documents that a question reads the names of, where nobody did so before.
_MOST_READ = 2_000


@dataclass(frozen=True)
class NameReader:
    """``spread`` shares out the reading of ``bulk`` documents or more."""

    store: Store
    spread: Spread = map
    bulk: int = BULK_DOCUMENTS

    def missing(self, reader: Reader) -> int:
        """Documents whose names are to be read."""
        return reader.count_unread(MARK)

    def run(self, most: int | None = None) -> int:
        """Reads the names of documents whose text has changed since, ``most`` of them at most, and once there are none,
        of those that hold a name which was declared since; gives how many it read."""
        with self.store.read() as reader:
            waiting = reader.unread(MARK, most)
        # First whom they declare, or those that name them were read twice.
        for first in range(0, len(waiting), _BATCH):
            with self.store.read() as reader:
                batch = list(reader.documents(waiting[first : first + _BATCH]).values())
            if any(find_declared_name(one.document) is not None for one in batch):
                with self.store.write() as writer:
                    note_declared(writer, (one.document for one in batch))
        with self.store.read() as reader:
            known = read_known(reader)
        read = self._read(waiting, known)
        with self.store.read() as reader:
            # Also what was written anew meanwhile waits for the next time.
            left = self.missing(reader)
        if left:
            return len(read)
        return len(read) + self._read_declared(None if most is None else most - len(read), known, read)

    def catch_up(self) -> None:
        """Before a question, of 2,000 documents at most; an index that can't be written, or is being written, tells
        what it holds."""
        with suppress(Unavailable):
            self.run(_MOST_READ)

    def _read(self, rows: Sequence[int], known: Mapping[str, NamedEntity]) -> set[int]:
        """Gives those whose text was still the same in the end."""
        under_way = deque[list[StoredDocument]]()

        def load() -> Iterator[DocumentTexts]:
            for first in range(0, len(rows), _BATCH):
                with self.store.read() as reader:
                    batch = list(reader.documents(rows[first : first + _BATCH]).values())
                    texts = read_texts(reader, batch)
                under_way.append(batch)
                yield texts

        share: Spread = self.spread if len(rows) >= self.bulk else map
        read = set[int]()
        for found in share(NameFinder(DeclaredNames(known)), load()):
            batch = under_way.popleft()
            with self.store.write() as writer:
                same = find_unchanged(writer, batch)
                done = [
                    stored
                    for stored, names in zip(batch, found, strict=True)
                    if stored.id in same and writer.set_entities(stored.id, MARK, names)
                ]
                note_declared(writer, (stored.document for stored in done))
            read.update(stored.id for stored in done)
        return read

    def _read_declared(self, most: int | None, known: Mapping[str, NamedEntity], read: Set[int]) -> int:
        """All of them or, where they are more than ``most``, none. ``read`` were read with these ``known`` ones."""
        with self.store.read() as reader:
            now = read_known(reader)
            fresh = read if now == known else ()
            whole = len(fresh) == reader.statistics().documents
            rows = [] if whole else [row for row in find_outdated(reader, now) if row not in fresh]
        if most is not None and len(rows) > most:
            return 0
        done = self._read(rows, now)
        with self.store.write() as writer:
            note_known(writer, now)
        return len(done)
