"""Taking a vault elsewhere: everything that nothing can derive, out of it and into another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from hearth.engine.exchange.exporter import Exporter
from hearth.engine.exchange.importer import Imported, Importer
from hearth.engine.indexing.report import SyncReport
from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """``prepare`` brings an index of another version up to date, ``sync`` the index what was taken in."""

    exporter: Exporter
    importer: Importer
    prepare: Callable[[], None]
    sync: Callable[[], SyncReport]

    def export(self, *, files: bool = True) -> Iterator[bytes]:
        """Lines of JSON, secrets scrubbed: the memories with their former revisions, the journal, and unless ``files``
        is false the texts of people's files. The format is in ``engine/exchange/lines.py``."""
        self.prepare()
        return self.exporter.lines(files=files)

    def import_(self, source: BinaryIO, *, files_to: str | None = None) -> Imported:
        """Takes in an export from a file that can be read twice, and brings the index up to date.

        People's files go below the folder ``files_to``, by collection, else nowhere. What is there already stays as it
        is. Raises ``UsageError`` for what is no whole export, before anything is written.
        """
        self.prepare()
        done = self.importer.run(source, files_to)
        for problem in self.sync().problems:
            done.say(problem)
        return done
