"""A vault of a machine, and the miner over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import environ, hearth, notes, spawn, vault  # noqa: F401 (fixtures)
from tests.house import House

from hearth.core import instants
from hearth.importers.conversations import ConversationFiles
from hearth.importers.formats import Reading
from hearth.importers.memories import Distilled, MemoryMiner
from hearth.importers.mining import Miner, find_format
from hearth.importers.runs import MINE, ImportReport, ImportRun, name_run


class Mine(House):
    """``source`` is the folder of which conversations are taken in."""

    def __init__(self, home: Path, source: Path, data: Path | None = None) -> None:
        super().__init__(home, home / "notes", data=data)
        self.source = source
        self.configure()

    def take(self, *paths: Path, me: str = "", form: str = "", dry_run: bool = False) -> ImportReport:
        name = name_run(MINE, self.vault.clock())
        report = ImportReport(name, dry_run)
        run = ImportRun(name, self.vault.truth.history, self.vault.memories.writer, report, dry_run=dry_run)
        folders = self.vault.capture.worker.distiller.folders
        files = ConversationFiles(run, self.vault.zone, folders.project_of, folders.select_kept)
        reading = Reading(frozenset({me.casefold()} - {""}), self.vault.clock(), report)
        Miner(files, reading, find_format(form) if form else None).mine(paths or (self.source,))
        self.vault.index.sync()
        return report

    def distill(self, most: int = 200) -> Distilled:
        name = name_run(MINE, self.vault.clock())
        return MemoryMiner(self.vault.capture, name, self.vault.zone).distill(most)

    def memories(self) -> dict[str, str]:
        """Text -> day, of memories that were made of conversations."""
        found = {}
        for stored in self.vault.documents():
            document = stored.document
            if document.content_type not in ("conversation", "note") and document.authored_at is not None:
                found[self.vault.get(document.path).text] = instants.show_date(document.authored_at)
        return found

    @property
    def memory(self) -> Path:
        return Path(self.vault.memories.writer.memories.root)

    def files(self) -> dict[str, bytes]:
        """What was taken in, below the memory folder."""
        found = [*self.memory.glob("imported/**/*.md"), *self.memory.glob("agent/conversations/*.md")]
        return {str(file.relative_to(self.memory)): file.read_bytes() for file in found}

    def text(self) -> str:
        return "\n".join(data.decode() for _, data in sorted(self.files().items()))

    def find(self, words: str) -> list[str]:
        return [hit.path for hit in self.vault.recall(words).hits]


@pytest.fixture
def new_mine(tmp_path: Path) -> Iterator[Callable[..., Mine]]:
    """Makes one by its name, over the shared source folder."""
    made: list[Mine] = []
    (tmp_path / "source").mkdir()

    def make(name: str = "home", data: Path | None = None) -> Mine:
        made.append(Mine(tmp_path / name, tmp_path / "source", data))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def mine(new_mine: Callable[..., Mine]) -> Mine:
    return new_mine()
