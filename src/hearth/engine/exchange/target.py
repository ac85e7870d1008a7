"""What an export reads and an import writes, beside the journal: the files of a vault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from hearth.lazy import dataclass
from hearth.model.journal.event import Event

Put = Literal["written", "unchanged", "kept"]
"""``kept`` is what was there and says something else."""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of the memory folder; ``data`` is ``None`` where it can't be read, for the ``reason``. ms UTC."""

    path: str
    data: bytes | None
    modified_at: int = 0
    reason: str | None = None


class ExchangeFiles(Protocol):
    def memories(self) -> Iterator[ExportedFile]:
        """Every file that the engine wrote, former revisions included, by path."""

    def put_memory(self, path: str, data: bytes, modified_at: int) -> Put:
        """Raises ``UsageError`` for a path that leads elsewhere, ``Unavailable`` where it can't be written."""

    def put_file(self, folder: str, path: str, data: bytes, modified_at: int) -> Put:
        """The same for a file of a person, below a folder of theirs."""

    def adopt(self, events: Iterable[Event]) -> int:
        """Journals those that are not known, with their stamps, on the disk on return; says how many."""

    def writing(self) -> AbstractContextManager[None]:
        """Keeps other writers of memories away."""
