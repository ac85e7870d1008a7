"""The calls by which a vault is taken elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from hearth.engine.exchange.give import Giver
    from hearth.engine.exchange.take import Imported, Taker
    from hearth.engine.sync import SyncReport


@dataclass(frozen=True, slots=True)
class Carrier:
    giver: Giver
    taker: Taker


class Exchange:
    def _carrier(self) -> Carrier:
        raise NotImplementedError

    def sync(self) -> SyncReport:
        raise NotImplementedError

    def export(self, *, files: bool = True) -> Iterator[bytes]:
        """Lines of JSON, secrets scrubbed: the memories with their former revisions, the journal, and unless ``files``
        is false the texts of people's files. The format is in ``engine/exchange/lines.py``."""
        return self._carrier().giver.lines(files=files)

    def import_(self, source: BinaryIO, *, files_to: str | None = None) -> Imported:
        """Takes in an export from a file that can be read twice, and brings the index up to date.

        People's files go below the folder ``files_to``, by collection, else nowhere. What is there already stays as it
        is. Raises ``UsageError`` for what is no whole export, before anything is written.
        """
        done = self._carrier().taker.take(source, files_to)
        for problem in self.sync().problems:
            done.say(problem)
        return done
